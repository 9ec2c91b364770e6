cwlVersion: v1.2
class: CommandLineTool
label: Make a multi-resolution contact map
doc: Coarsens a .cool file to every resolution asked for and balances each level.

baseCommand: [ziggurat, zoomify]
arguments: [--nproc, $(runtime.cores), --progress, plain]
requirements:
  ResourceRequirement:
    coresMin: $(inputs.cores)
    ramMin: 2048

inputs:
  cores:
    type: int
    default: 2
    doc: Reader processes, and threads that compute.
  map:
    type: File
    doc: A .cool file.
    inputBinding: {position: 1}
  output_name:
    type: string
    default: map.mcool
    inputBinding: {prefix: --out}
  resolutions:
    type: string?
    doc: Comma-separated bin sizes in bp, or N, B, 4DN.
    inputBinding: {prefix: --resolutions}
  balance:
    type: boolean
    default: true
    inputBinding: {prefix: --balance}
  balance_args:
    type: string?
    doc: Options of `ziggurat balance` as one text.
    inputBinding: {prefix: --balance-args}

# May be absent, or engines take a failure that is worth another try for one that is not.
outputs:
  pyramid:
    type: File?
    outputBinding: {glob: $(inputs.output_name)}

successCodes: [0]
temporaryFailCodes: [75, 137]
