process ZIGGURAT_VERIFY {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container 'biocontainers/ziggurat:1.0.0--0'

    input:
    tuple val(meta), path(map)

    output:
    tuple val(meta), path("*.verified.txt"), emit: verdict
    tuple val("${task.process}"), val('ziggurat'), eval("ziggurat --version | sed 's/.* //'"), topic: versions, emit: versions_ziggurat

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    ziggurat verify \
        $args \
        --progress plain \
        --nproc ${task.cpus} \
        ${map} > ${prefix}.verified.txt
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.verified.txt
    """
}
