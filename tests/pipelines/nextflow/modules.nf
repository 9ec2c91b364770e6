// Each module by itself.
nextflow.enable.dsl = 2
nextflow.preview.topic = true

include { ZIGGURAT_BALANCE } from './nextflow/modules/balance/main'
include { ZIGGURAT_COARSEN } from './nextflow/modules/coarsen/main'
include { ZIGGURAT_LOAD    } from './nextflow/modules/load/main'
include { ZIGGURAT_MERGE   } from './nextflow/modules/merge/main'
include { ZIGGURAT_REPORT  } from './nextflow/modules/report/main'
include { ZIGGURAT_VERIFY  } from './nextflow/modules/verify/main'
include { ZIGGURAT_ZOOMIFY } from './nextflow/modules/zoomify/main'

workflow {
    given = file(params.map, checkIfExists: true)
    ZIGGURAT_COARSEN([[id: 'coarsen'], given, 2])
    ZIGGURAT_BALANCE([[id: 'balance'], given])
    ZIGGURAT_ZOOMIFY([[id: 'pyramid'], given])
    ZIGGURAT_VERIFY(ZIGGURAT_ZOOMIFY.out.mcool)
    ZIGGURAT_REPORT(ZIGGURAT_ZOOMIFY.out.mcool)
    ZIGGURAT_LOAD([[id: 'load'], file(params.contacts, checkIfExists: true), 10000], file(params.sizes))
    ZIGGURAT_MERGE(ZIGGURAT_LOAD.out.cool.map { meta, cool -> [[id: 'merge'], [cool, cool]] })
    Channel.topic('versions').unique().view { process, tool, version -> "VERSION ${process} ${tool} ${version}" }
}
