cwlVersion: v1.2
class: Workflow
label: From contacts to a multi-resolution contact map with a report
doc: Loads each file of contacts, adds them up, makes the levels, proves them and shows them.

requirements:
  ScatterFeatureRequirement: {}
  SubworkflowFeatureRequirement: {}

inputs:
  contacts:
    type: File[]
    doc: Replicates of one sample.
  sizes:
    type: File
    doc: Names and lengths of the chromosomes.
  bin_size:
    type: int
    doc: Of the finest level, in bp.
  factors:
    type: int[]
    doc: For each coarser level, how many bins of the finest become one.
  assembly:
    type: string
    default: unknown
  output_name:
    type: string
    default: map.mcool

steps:
  load:
    run: load.cwl
    scatter: contacts
    in:
      contacts: contacts
      sizes: sizes
      bin_size: bin_size
      assembly: assembly
    out: [map]
  merge:
    run: merge.cwl
    in:
      maps: {source: load/map, pickValue: all_non_null}
    out: [merged]
  levels:
    run: levels.cwl
    in:
      map: {source: [merge/merged], pickValue: the_only_non_null}
      factors: factors
      output_name: output_name
    out: [pyramid, report]
  report:
    run: report.cwl
    in:
      map: levels/pyramid
    out: [page]

outputs:
  pyramid:
    type: File
    outputSource: levels/pyramid
  verdict:
    type: File
    outputSource: levels/report
  page:
    type: File
    outputSource: [report/page]
    pickValue: the_only_non_null
