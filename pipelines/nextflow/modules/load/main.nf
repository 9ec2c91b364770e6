process ZIGGURAT_LOAD {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container 'biocontainers/ziggurat:1.0.0--0'

    input:
    tuple val(meta), path(contacts), val(bin_size)
    path chromsizes

    output:
    tuple val(meta), path("*.cool"), emit: cool
    tuple val("${task.process}"), val('ziggurat'), eval("ziggurat --version | sed 's/.* //'"), topic: versions, emit: versions_ziggurat

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    ziggurat cload pairs \
        $args \
        --progress plain \
        --nproc ${task.cpus} \
        ${chromsizes}:${bin_size} \
        ${contacts} \
        ${prefix}.cool
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.cool
    """
}
