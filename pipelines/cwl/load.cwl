cwlVersion: v1.2
class: CommandLineTool
label: Bin contacts into a contact map
doc: Contacts may come in any order, plain or compressed.

baseCommand: [ziggurat, cload, pairs]
arguments:
  - --nproc
  - $(runtime.cores)
  - --progress
  - plain
  - position: 1
    valueFrom: $(inputs.sizes.path):$(inputs.bin_size)
requirements:
  ResourceRequirement:
    coresMin: $(inputs.cores)
    ramMin: 1024

inputs:
  cores:
    type: int
    default: 2
    doc: Threads that parse, sort and compress.
  sizes:
    type: File
    doc: Names and lengths of the chromosomes, a tab between them.
  bin_size:
    type: int
    doc: In bp.
  assembly:
    type: string
    default: unknown
    inputBinding: {prefix: --assembly}
  contacts:
    type: File
    doc: A .pairs file.
    inputBinding: {position: 2}
  output_name:
    type: string
    default: map.cool
    inputBinding: {position: 3}

# May be absent, or engines take a failure that is worth another try for one that is not.
outputs:
  map:
    type: File?
    outputBinding: {glob: $(inputs.output_name)}

successCodes: [0]
temporaryFailCodes: [75, 137]
