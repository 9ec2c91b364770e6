cwlVersion: v1.2
class: CommandLineTool
label: Make a page that shows a contact map
doc: Numbers and pictures of every level, in one file that needs nothing besides.

baseCommand: [ziggurat, report]
arguments: [--progress, plain]
requirements:
  ResourceRequirement:
    coresMin: 1
    ramMin: 1024

inputs:
  map:
    type: File
    doc: A .mcool file.
    inputBinding: {position: 1}
  output_name:
    type: string
    default: report.html
    inputBinding: {prefix: --out}

# May be absent, or engines take a failure that is worth another try for one that is not.
outputs:
  page:
    type: File?
    outputBinding: {glob: $(inputs.output_name)}

successCodes: [0]
temporaryFailCodes: [75, 137]
