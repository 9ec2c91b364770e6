process ZIGGURAT_REPORT {
    tag "${meta.id}"
    label 'process_single'

    conda "${moduleDir}/environment.yml"
    container 'biocontainers/ziggurat:1.0.0--0'

    input:
    tuple val(meta), path(mcool)

    output:
    tuple val(meta), path("*.html"), emit: html
    tuple val("${task.process}"), val('ziggurat'), eval("ziggurat --version | sed 's/.* //'"), topic: versions, emit: versions_ziggurat

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    ziggurat report \
        $args \
        --progress plain \
        --out ${prefix}.html \
        ${mcool}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.html
    """
}
