"""Programs that people use open the result and read the same pixels from it."""

import numpy as np
import pytest

from support import hictk
from support.coolfile import uri, write_map
from support.maps import coarsened, example_map, square_map
from support.program import run_ok

LEVELS = (1000, 2000, 6000)


def made(source):
    write_map("in.cool", source)
    run_ok("zoomify", "-r", "2000,6000", "-o", "out.mcool", "in.cool")
    return {level: coarsened(source, level // 1000) for level in LEVELS}


def dense(m):
    matrix = np.zeros((m.nbins, m.nbins))
    matrix[m.bin1, m.bin2] = m.count.astype(np.float64)
    return matrix if m.square else np.maximum(matrix, matrix.T)


@pytest.mark.parametrize("source", [example_map(41), square_map(42)], ids=["upper", "square"])
def test_cooler(source):
    import cooler

    expected = made(source)
    assert cooler.fileops.is_multires_file("out.mcool")
    assert sorted(cooler.fileops.list_coolers("out.mcool")) == [f"/resolutions/{r}" for r in LEVELS]
    for level, m in expected.items():
        clr = cooler.Cooler(uri("out.mcool", level))
        pixels = clr.pixels()[:]
        assert pixels["bin1_id"].tolist() == m.bin1.tolist()
        assert pixels["bin2_id"].tolist() == m.bin2.tolist()
        assert pixels["count"].tolist() == m.count.tolist()
        assert clr.chromnames == m.names and clr.chromsizes.tolist() == m.lengths.tolist()
        assert clr.bins()[:]["end"].tolist() == m.end.tolist()
        assert clr.storage_mode == ("square" if m.square else "symmetric-upper")
        assert np.array_equal(clr.matrix(balance=False)[:], dense(m))


def test_hictk():
    for level, m in made(example_map(43)).items():
        facts, matrix = hictk.read("out.mcool", level)
        assert facts["is_mcool"] and facts["resolutions"] == list(LEVELS)
        assert facts["chromosomes"] == dict(zip(m.names, m.lengths.tolist()))
        assert np.array_equal(matrix, dense(m))


@pytest.mark.ours
def test_the_readers_of_single_levels():
    import cooler

    source = example_map(44)
    write_map("in.cool", source)
    run_ok("coarsen", "-k", "3", "-o", "k.cool", "in.cool")
    m = coarsened(source, 3)
    facts, matrix = hictk.read("k.cool", 3000)
    assert cooler.fileops.is_cooler("k.cool") and facts["is_cooler"]
    assert np.array_equal(matrix, dense(m))


@pytest.mark.balance
def test_weights_are_seen_by_all():
    import cooler

    write_map("in.cool", example_map(45, scale=200, trans=3))
    run_ok("zoomify", "-r", "1000,2000", "--balance", "-o", "out.mcool", "in.cool")
    for level in (1000, 2000):
        wanted = cooler.Cooler(uri("out.mcool", level)).matrix(balance=True)[:]
        facts, got = hictk.read("out.mcool", level, normalization="weight", count_type="float")
        assert "weight" in facts["normalizations"]
        assert np.isfinite(wanted).any()
        assert np.allclose(got, wanted, equal_nan=True)
