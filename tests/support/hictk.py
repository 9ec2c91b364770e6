"""hictkpy in a process of its own.

Once it is imported, its logger can hang a process that forks, as every test here does.
"""

import json
import subprocess
import sys

import numpy as np

SCRIPT = """
import json, sys
import hictkpy, numpy as np
path, out, resolution, how = json.loads(sys.argv[1])
facts = {"is_cooler": hictkpy.is_cooler(path), "is_mcool": hictkpy.is_mcool_file(path)}
if facts["is_mcool"]:
    facts["resolutions"] = [int(r) for r in hictkpy.MultiResFile(path).resolutions()]
file = hictkpy.File(path, resolution)
facts["chromosomes"] = {name: int(length) for name, length in file.chromosomes().items()}
facts["normalizations"] = [str(name) for name in file.avail_normalizations()]
np.save(out, file.fetch(**how).to_numpy(query_span="full"))
print(json.dumps(facts))
"""


def read(path, resolution, **how):
    """What hictkpy says of a file, and the dense matrix that `fetch(**how)` gives of a level."""
    job = json.dumps([str(path), "hictk.npy", resolution, how])
    made = subprocess.run(
        [sys.executable, "-c", SCRIPT, job], check=True, capture_output=True, text=True
    )
    return json.loads(made.stdout), np.load("hictk.npy")
