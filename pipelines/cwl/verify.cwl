cwlVersion: v1.2
class: CommandLineTool
label: Prove a contact map
doc: Every pixel against the rules of the format, and every level against the one it was made from.

baseCommand: [ziggurat, verify]
arguments: [--nproc, $(runtime.cores), --progress, plain]
stdout: verified.txt
requirements:
  ResourceRequirement:
    coresMin: $(inputs.cores)
    ramMin: 1024

inputs:
  cores:
    type: int
    default: 2
    doc: Reader processes, and threads that compute.
  map:
    type: File
    doc: A .cool or .mcool file.
    inputBinding: {position: 1}

outputs:
  report:
    type: stdout

successCodes: [0]
temporaryFailCodes: [75, 137]
