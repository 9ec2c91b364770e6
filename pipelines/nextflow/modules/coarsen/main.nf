process ZIGGURAT_COARSEN {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container 'biocontainers/ziggurat:1.0.0--0'

    input:
    tuple val(meta), path(cool), val(factor)

    output:
    tuple val(meta), path("*.cool"), emit: cool
    tuple val("${task.process}"), val('ziggurat'), eval("ziggurat --version | sed 's/.* //'"), topic: versions, emit: versions_ziggurat

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    if ("${cool}" == "${prefix}.cool") error "Input and output names are the same, set prefix in module configuration"
    """
    ziggurat coarsen \
        $args \
        --progress plain \
        --nproc ${task.cpus} \
        --factor ${factor} \
        --out ${prefix}.cool \
        ${cool}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.cool
    """
}
