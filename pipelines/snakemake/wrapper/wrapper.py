"""Snakemake wrapper for ziggurat zoomify."""

from snakemake.shell import shell

log = snakemake.log_fmt_shell(stdout=True, stderr=True)
extra = snakemake.params.get("extra", "")
resolutions = snakemake.params.get("resolutions", "")
if resolutions:
    if not isinstance(resolutions, str):
        resolutions = ",".join(map(str, resolutions))
    resolutions = f"--resolutions {resolutions}"

shell(
    "ziggurat zoomify --progress plain --nproc {snakemake.threads} --tmpdir {snakemake.resources.tmpdir}"
    " {resolutions} {extra} --out {snakemake.output[0]} {snakemake.input[0]} {log}"
)
