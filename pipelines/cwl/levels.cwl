cwlVersion: v1.2
class: Workflow
label: A multi-resolution contact map, a level a job
doc: Coarsens, balances, gathers and proves. The bytes are those of zoomify.cwl.

requirements:
  ScatterFeatureRequirement: {}
  MultipleInputFeatureRequirement: {}

inputs:
  map:
    type: File
    doc: The finest level.
  factors:
    type: int[]
    doc: For each coarser level, how many bins of the map become one.
  output_name:
    type: string
    default: map.mcool

steps:
  coarsen:
    run: coarsen.cwl
    scatter: factor
    in:
      map: map
      factor: factors
    out: [level]
  balance:
    run: balance.cwl
    scatter: map
    in:
      map:
        source: [map, coarsen/level]
        linkMerge: merge_flattened
        pickValue: all_non_null
      force: {default: true}
    out: [balanced]
  assemble:
    run: assemble.cwl
    in:
      levels:
        source: [balance/balanced]
        linkMerge: merge_flattened
        pickValue: all_non_null
      output_name: output_name
    out: [pyramid]
  verify:
    run: verify.cwl
    in:
      map: {source: [assemble/pyramid], pickValue: the_only_non_null}
    out: [report]

outputs:
  pyramid:
    type: File
    outputSource: [assemble/pyramid]
    pickValue: the_only_non_null
  report:
    type: File
    outputSource: verify/report
