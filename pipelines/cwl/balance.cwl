cwlVersion: v1.2
class: CommandLineTool
label: Balance a contact map
doc: Adds a column of weights to a copy of the map, of every level when it has several.

baseCommand: [ziggurat, balance]
arguments: [--nproc, $(runtime.cores), --progress, plain]
requirements:
  InitialWorkDirRequirement:
    listing:
      - entry: $(inputs.map)
        writable: true
  ResourceRequirement:
    coresMin: $(inputs.cores)
    ramMin: 4096

inputs:
  cores:
    type: int
    default: 2
    doc: Reader processes, and threads that compute.
  map:
    type: File
    doc: A .cool or .mcool file.
    inputBinding:
      position: 1
      valueFrom: $(self.basename)
  force:
    type: boolean
    default: false
    doc: Replace weights that are there.
    inputBinding: {prefix: --force}

# May be absent, or engines take a failure that is worth another try for one that is not.
outputs:
  balanced:
    type: File?
    outputBinding: {glob: $(inputs.map.basename)}

successCodes: [0]
temporaryFailCodes: [75, 137]
