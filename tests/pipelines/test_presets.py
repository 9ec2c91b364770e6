"""Each preset in pipelines/presets gives a finished pyramid with the levels that it is named for."""

from pathlib import Path

import h5py
import pytest

from support.coolfile import resolutions, write_map
from support.maps import example_map
from support.program import run_ok

pytestmark = pytest.mark.ours

PRESETS = Path(__file__).resolve().parents[2] / "pipelines" / "presets"
FOUR_DN = [1000, 2000, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000,
           5000000, 10000000]
LEVELS = {
    "4dn": FOUR_DN,
    "distiller": FOUR_DN,
    # Doublings while the coarsest level has more bins than a viewer's tile of 256.
    "micro-c": [1000, 2000, 4000, 8000, 16000],
    "omni-c": [1000, 2000, 4000, 8000, 16000],
    "nf-core-hic": [1000, 2000, 4000, 8000, 16000],
}


def test_every_preset_is_known():
    assert sorted(path.stem for path in PRESETS.glob("*.toml")) == sorted(LEVELS)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    m = example_map(5, chroms={"chr1": 3_000_000, "chr2": 1_200_000, "chrM": 16_000}, scale=30.0,
                    trans=0.004)
    return write_map(tmp_path_factory.mktemp("source") / "in.cool", m)


@pytest.mark.parametrize("name", sorted(LEVELS))
def test_preset(name, source):
    run_ok("zoomify", source, "-o", "out.mcool", "--config", PRESETS / f"{name}.toml")
    assert sorted(resolutions("out.mcool")) == LEVELS[name]
    with h5py.File("out.mcool") as file:
        for group in file["resolutions"].values():
            assert "weight" in group["bins"]
