// From a table of maps to verified pyramids.
//
//   nextflow run main.nf --input samples.csv --outdir results
//
// samples.csv has the columns sample and map.
nextflow.enable.dsl = 2

include { ZIGGURAT_ZOOMIFY } from './modules/zoomify/main'

params.input = null
params.outdir = 'results'

process VERIFY {
    tag "${meta.id}"
    label 'process_medium'
    publishDir params.outdir, mode: 'copy'

    input:
    tuple val(meta), path(mcool)

    output:
    tuple val(meta), path("${meta.id}.verified.txt")

    script:
    """
    ziggurat verify --progress plain --nproc ${task.cpus} ${mcool} > ${meta.id}.verified.txt
    """
}

workflow {
    maps = Channel.fromPath(params.input, checkIfExists: true)
        .splitCsv(header: true)
        .map { row -> [[id: row.sample], file(row.map, checkIfExists: true)] }
    ZIGGURAT_ZOOMIFY(maps)
    VERIFY(ZIGGURAT_ZOOMIFY.out.mcool)
}
