process ZIGGURAT_BALANCE {
    tag "${meta.id}"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container 'biocontainers/ziggurat:1.0.0--0'

    input:
    tuple val(meta), path(cool, name: 'input/*')

    output:
    tuple val(meta), path("${prefix}.${extension}"), emit: cool
    tuple val("${task.process}"), val('ziggurat'), eval("ziggurat --version | sed 's/.* //'"), topic: versions, emit: versions_ziggurat

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def memory = task.memory ? "--memory ${task.memory.toMega().intdiv(2)}M" : ''
    prefix = task.ext.prefix ?: "${meta.id}"
    extension = cool.extension
    """
    cp --dereference ${cool} ${prefix}.${extension}
    ziggurat balance \
        $memory \
        $args \
        --progress plain \
        --nproc ${task.cpus} \
        ${prefix}.${extension}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    extension = cool.extension
    """
    touch ${prefix}.${extension}
    """
}
