"""Single-cell files (.scool): cells are maps like others, and go on sharing the table of their bins."""

import h5py
import numpy as np
import pytest

from support.coolfile import read_map
from support.maps import coarsened
from support.program import refused, run, run_ok

pytestmark = pytest.mark.ours

SHARED = ("chrom", "start", "end")


@pytest.fixture(autouse=True)
def cells(tmp_path, monkeypatch):
    cooler = pytest.importorskip("cooler")
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    bins = cooler.binnify(pd.Series({"chr1": 50_000, "chr2": 20_000}), 1000)

    def pixels(seed):
        random = np.random.default_rng(seed)
        i, j = np.triu_indices(70)
        kept = random.random(len(i)) < 0.6
        counts = random.integers(1, 9, kept.sum())
        return pd.DataFrame({"bin1_id": i[kept], "bin2_id": j[kept], "count": counts})

    cooler.create_scool("c.scool", bins, {f"cell{k}": pixels(k) for k in (1, 2)}, ordered=True)


def test_cells_are_listed_and_proven():
    assert run_ok("ls", "c.scool").out.split() == ["c.scool::/cells/cell1", "c.scool::/cells/cell2"]
    assert run_ok("verify", "c.scool").out.endswith("c.scool is sound\n")
    refused(run("zoomify", "-o", "x.mcool", "c.scool"), "/cells/cell1")


def test_a_cell_is_a_map_like_others():
    one, two = (read_map("c.scool", f"/cells/cell{k}") for k in (1, 2))
    run_ok("zoomify", "-r", "2000", "-o", "z.mcool", "c.scool::/cells/cell1")
    got, expected = read_map("z.mcool", "/resolutions/2000"), coarsened(one, 2)
    assert (got.bin1 == expected.bin1).all() and (got.count == expected.count).all()
    run_ok("merge", "m.cool", "c.scool::/cells/cell1", "c.scool::/cells/cell2")
    assert read_map("m.cool").count.sum() == one.count.sum() + two.count.sum()
    run_ok("cp", "c.scool::/cells/cell2", "copy.cool")
    run_ok("compare", "c.scool::/cells/cell2", "copy.cool")
    assert run_ok("info", "-f", "nnz", "c.scool::/cells/cell2").out.strip() == str(two.nnz)
    assert len(run_ok("dump", "c.scool::/cells/cell2").out.splitlines()) == two.nnz


def test_bins_stay_shared_when_weights_are_added():
    run_ok("balance", "c.scool::/cells/cell1")
    with h5py.File("c.scool") as file:
        first, second = file["cells/cell1/bins"], file["cells/cell2/bins"]
        assert "weight" in first and "weight" not in second and "weight" not in file["bins"]
        for name in SHARED:
            assert first[name] == second[name] == file["bins"][name], f"{name} is no longer shared"
    run_ok("balance", "c.scool::/cells/cell2")
    run_ok("verify", "c.scool")
