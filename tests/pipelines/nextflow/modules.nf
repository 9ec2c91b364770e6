// The modules that the workflow does not use, run on one map.
nextflow.enable.dsl = 2
nextflow.preview.topic = true

include { ZIGGURAT_COARSEN } from './nextflow/modules/coarsen/main'
include { ZIGGURAT_BALANCE } from './nextflow/modules/balance/main'

workflow {
    map = Channel.of([[id: 'yeast'], file(params.map, checkIfExists: true)])
    ZIGGURAT_COARSEN(map.map { meta, cool -> [meta, cool, 2] })
    ZIGGURAT_BALANCE(map)
    Channel.topic('versions').unique().view { process, tool, version -> "VERSION ${process} ${tool} ${version}" }
}
