cwlVersion: v1.2
class: CommandLineTool
label: Gather levels into a multi-resolution contact map
doc: The levels are maps of the same contacts, each with bins of another size.

baseCommand: [ziggurat, assemble]
arguments: [--nproc, $(runtime.cores), --progress, plain]
requirements:
  ResourceRequirement:
    coresMin: $(inputs.cores)
    ramMin: 1024

inputs:
  cores:
    type: int
    default: 2
    doc: Reader processes, and threads that compute.
  output_name:
    type: string
    default: map.mcool
    inputBinding: {position: 1}
  levels:
    type: File[]
    doc: A .cool file a level, in any order.
    inputBinding: {position: 2}

# May be absent, or engines take a failure that is worth another try for one that is not.
outputs:
  pyramid:
    type: File?
    outputBinding: {glob: $(inputs.output_name)}

successCodes: [0]
temporaryFailCodes: [75, 137]
