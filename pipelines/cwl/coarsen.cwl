cwlVersion: v1.2
class: CommandLineTool
label: Make one coarser contact map
doc: Pools every so many neighbouring bins of a .cool file into one.

baseCommand: [ziggurat, coarsen]
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
  factor:
    type: int
    default: 2
    doc: How many bins become one.
    inputBinding: {prefix: --factor}
  output_name:
    type: string
    default: coarse.cool
    inputBinding: {prefix: --out}

# May be absent, or engines take a failure that is worth another try for one that is not.
outputs:
  level:
    type: File?
    outputBinding: {glob: $(inputs.output_name)}

successCodes: [0]
temporaryFailCodes: [75, 137]
