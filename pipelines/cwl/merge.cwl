cwlVersion: v1.2
class: CommandLineTool
label: Add up contact maps
doc: The maps have the same bins.

baseCommand: [ziggurat, merge]
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
    default: merged.cool
    inputBinding: {position: 1}
  maps:
    type: File[]
    doc: A .cool file each.
    inputBinding: {position: 2}

# May be absent, or engines take a failure that is worth another try for one that is not.
outputs:
  merged:
    type: File?
    outputBinding: {glob: $(inputs.output_name)}

successCodes: [0]
temporaryFailCodes: [75, 137]
