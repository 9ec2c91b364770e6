// From a table of contacts to verified pyramids with a report.
//
//   nextflow run main.nf --input samples.csv --chromsizes chrom.sizes --resolution 10000
//
// samples.csv has the columns sample and contacts: a file of contacts (.pairs, plain or compressed)
// or a map (.cool). Rows of the same sample are added up. The parameters are in nextflow.config.
nextflow.enable.dsl = 2

include { ZIGGURAT_LOAD    } from './modules/load/main'
include { ZIGGURAT_MERGE   } from './modules/merge/main'
include { ZIGGURAT_ZOOMIFY } from './modules/zoomify/main'
include { ZIGGURAT_VERIFY  } from './modules/verify/main'
include { ZIGGURAT_REPORT  } from './modules/report/main'

workflow {
    if (!params.input) {
        error "Give a table of samples: --input samples.csv"
    }
    // Numbered, because replicates may have files of the same name in different folders.
    rows = Channel.fromPath(params.input, checkIfExists: true)
        .splitCsv(header: true)
        .toList()
        .flatMap { rows ->
            rows.withIndex().collect { row, number ->
                [[id: "${row.sample}.${number}", sample: row.sample, row: number], file(row.contacts, checkIfExists: true)]
            }
        }
        .branch { meta, given ->
            map: given.name.endsWith('.cool')
            contacts: true
        }
    contacts = rows.contacts.map { meta, given ->
        if (!params.chromsizes || !params.resolution) {
            error "Contacts are loaded with --chromsizes FILE and --resolution BP"
        }
        [meta, given, params.resolution]
    }
    ZIGGURAT_LOAD(contacts, params.chromsizes ? file(params.chromsizes, checkIfExists: true) : [])

    // In the order of the table, so that a resumed run finds what it has.
    samples = ZIGGURAT_LOAD.out.cool.mix(rows.map)
        .map { meta, cool -> [[id: meta.sample], [meta.row, cool]] }
        .groupTuple()
        .map { meta, numbered -> [meta, numbered.sort { it[0] }.collect { it[1] }] }
        .branch { meta, cools ->
            replicates: cools.size() > 1
            single: true
                return [meta, cools[0]]
        }
    ZIGGURAT_MERGE(samples.replicates)
    ZIGGURAT_ZOOMIFY(ZIGGURAT_MERGE.out.cool.mix(samples.single))
    ZIGGURAT_VERIFY(ZIGGURAT_ZOOMIFY.out.mcool)
    ZIGGURAT_REPORT(ZIGGURAT_ZOOMIFY.out.mcool)
}
