process ZIGGURAT_ZOOMIFY {
    tag "${meta.id}"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container 'biocontainers/ziggurat:1.0.0--0'

    input:
    tuple val(meta), path(cool)

    output:
    tuple val(meta), path("*.mcool"), emit: mcool
    tuple val("${task.process}"), val('ziggurat'), eval("ziggurat --version | sed 's/.* //'"), topic: versions, emit: versions_ziggurat

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def memory = task.memory ? "--memory ${task.memory.toMega().intdiv(2)}M" : ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    ziggurat zoomify \
        $memory \
        $args \
        --progress plain \
        --nproc ${task.cpus} \
        --out ${prefix}.mcool \
        ${cool}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.mcool
    """
}
