process ZIGGURAT_MERGE {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container 'biocontainers/ziggurat:1.0.0--0'

    input:
    tuple val(meta), path(cools, stageAs: 'input/?/*')

    output:
    tuple val(meta), path("${prefix}.cool"), emit: cool
    tuple val("${task.process}"), val('ziggurat'), eval("ziggurat --version | sed 's/.* //'"), topic: versions, emit: versions_ziggurat

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    ziggurat merge \
        $args \
        --progress plain \
        --nproc ${task.cpus} \
        ${prefix}.cool \
        ${cools}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.cool
    """
}
