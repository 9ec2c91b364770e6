"""The commands as functions: results, options, exceptions, progress."""

import errno
import logging
import os
import pickle
from pathlib import Path

import cooler
import h5py
import numpy as np
import pytest

from support import check, maps
from support.coolfile import read_map, write_map

pytestmark = pytest.mark.ours

DEMO = Path(__file__).resolve().parents[2] / "testdata" / "demo.cool"


@pytest.fixture
def source(tmp_path):
    m = maps.example_map()
    path = tmp_path / "base.cool"
    write_map(path, m)
    return path, m


def test_zoomify_makes_the_pyramid(ziggurat, source, tmp_path):
    path, m = source
    out = tmp_path / "out.mcool"
    report = ziggurat.zoomify(path, out, resolutions=[2000, 4000], nproc=2)
    check.check_pyramid(out, m, [1000, 2000, 4000])
    assert [level.resolution for level in report.levels] == [1000, 2000, 4000]
    assert [level.n_pixels for level in report.levels] == [
        maps.coarsened(m, factor).nnz for factor in (1, 2, 4)
    ]
    assert all(level.sum == int(m.count.sum()) for level in report.levels)
    assert (report.output, report.bytes) == (str(out), out.stat().st_size)


@pytest.mark.parametrize("resolutions", ["2000", 2000, [2000], np.array([2000])])
def test_resolutions_as_people_write_them(ziggurat, source, resolutions):
    path, _ = source
    report = ziggurat.zoomify(path, resolutions=resolutions)
    assert [level.resolution for level in report.levels] == [1000, 2000]
    assert Path(report.output) == path.with_suffix(".mcool")


def test_dry_run_makes_nothing(ziggurat, source):
    path, _ = source
    plan = ziggurat.zoomify(path, resolutions="2000,4000", dry_run=True)
    assert plan.memory_bytes > 0 and len(plan.levels) == 3
    assert plan.levels[1].sum is None
    assert sorted(os.listdir(path.parent)) == ["base.cool"]


def test_coarsen_assemble_merge_cp_mv_ln(ziggurat, source, tmp_path):
    path, m = source
    ziggurat.coarsen(path, "half.cool", factor=2)
    ziggurat.assemble("both.mcool", [path, "half.cool"])
    check.check_pyramid("both.mcool", m, [1000, 2000])
    ziggurat.merge("double.cool", [path, str(path)])
    assert read_map("double.cool").count.tolist() == (2 * m.count).tolist()
    ziggurat.cp("double.cool", "more.cool::/a")
    ziggurat.mv("more.cool::/a", "more.cool::/b")
    ziggurat.ln("more.cool::/b", "more.cool::/c", soft=True)
    assert ziggurat.ls("more.cool") == ["more.cool::/b", "more.cool::/c"]
    assert ziggurat.compare("double.cool", "more.cool::/c")
    different = ziggurat.compare(path, "double.cool")
    assert not different and different.n_maps == 1
    (pixels,) = [found for found in different.differences if found.kind == "pixels"]
    assert pixels.n_different == m.nnz and pixels.largest == m.count.max()


def test_fields_and_rules(ziggurat, source):
    path, m = source
    ziggurat.coarsen(path, "max.cool", field="count:agg=max,dtype=float64")
    got = read_map("max.cool")
    assert got.count.dtype == np.float64 and got.count.max() == m.count.max()
    with pytest.raises(ValueError, match="duplicates: 'add' is not among: refuse, sum"):
        ziggurat.coarsen(path, "x.cool", duplicates="add")


def test_verify(ziggurat, source):
    path, m = source
    report = ziggurat.verify(path)
    assert report and report.levels[0].n_pixels == m.nnz
    with h5py.File(path, "r+") as file:
        file["pixels/bin2_id"][3] = 10**6
    broken = ziggurat.verify(path)
    assert not broken and "bin2_id" in broken.levels[0].faults[0]


def test_balance_as_cooler_does(ziggurat, tmp_path):
    path = tmp_path / "demo.cool"
    path.write_bytes(DEMO.read_bytes())
    expected, _ = cooler.balance_cooler(cooler.Cooler(str(path)), mad_max=3, min_nnz=5)
    (outcome,) = ziggurat.balance(path, mad_max=3, min_nnz=5)
    assert np.array_equal(outcome.weights, expected, equal_nan=True)
    assert outcome.stored and outcome.converged == (True,) and outcome.stop == "converged"
    assert np.array_equal(cooler.Cooler(str(path)).bins()["weight"][:], expected, equal_nan=True)
    assert ziggurat.balanced(path) == {"/": True}
    assert ziggurat.balanced(path, name="KR") == {"/": False}
    (only_computed,) = ziggurat.balance(path, method="vc", store=False)
    assert not only_computed.stored and only_computed.name == "VC"


def test_options_of_single_levels(ziggurat, tmp_path):
    report = ziggurat.zoomify(
        DEMO,
        tmp_path / "demo.mcool",
        resolutions=[20000, 50000, 100000],
        balance=True,
        balance_args={"ignore_diags": False, 20000: {"ignore_diags": 7}},
        no_balance_at=[50000],
    )
    ignored = {
        level.resolution: level.balance and level.balance.ignored_diags for level in report.levels
    }
    assert ignored == {10000: None, 20000: 7, 50000: None, 100000: 0}


def test_exceptions(ziggurat, source, tmp_path):
    path, _ = source
    shut = tmp_path / "shut"
    ziggurat.balance(path, min_nnz=0, mad_max=0)
    (tmp_path / "demo.cool").write_bytes(DEMO.read_bytes())
    text = tmp_path / "text.cool"
    text.write_text("no map")
    cases = [
        (lambda: ziggurat.open("absent.cool"), "input", FileNotFoundError),
        (lambda: ziggurat.zoomify("absent.cool"), "input", FileNotFoundError),
        (lambda: ziggurat.ls("absent.cool"), "input", FileNotFoundError),
        (lambda: ziggurat.open(text), "input", OSError),
        (lambda: ziggurat.zoomify(path, shut / "x.mcool"), "io", FileNotFoundError),
        (lambda: ziggurat.zoomify(path, resolutions="often"), "usage", ValueError),
        (lambda: ziggurat.zoomify(path, resolutions=[1500]), "usage", ValueError),
        (lambda: ziggurat.zoomify(path, nproc=0), "usage", ValueError),
        (lambda: ziggurat.balance(path, method="vanilla"), "usage", ValueError),
        (lambda: ziggurat.zoomify(path, balance=True, balance_args={"x": 1}), "usage", ValueError),
        (lambda: ziggurat.balance(path), "usage", FileExistsError),
        (lambda: ziggurat.cp(path, "demo.cool"), "usage", FileExistsError),
        (lambda: ziggurat.open(path).weights("KR"), "usage", KeyError),
        (lambda: ziggurat.open(path).fetch("chrNope"), "usage", ValueError),
    ]
    for call, code, kind in cases:
        with pytest.raises(ziggurat.Error) as caught:
            call()
        error = caught.value
        assert error.code == code and isinstance(error, kind), repr(error)
        assert str(error) and "\n" not in str(error)
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.code) == (type(error), str(error), code)
    with pytest.raises(FileNotFoundError) as caught:
        ziggurat.open("absent.cool")
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(TypeError):
        ziggurat.zoomify(5)


@pytest.mark.parametrize(
    "code, kind", [(2, "InputPermissionError"), (4, "OutputPermissionError")]
)
def test_no_permission(ziggurat, code, kind):
    """By the library's words, since nothing is forbidden to root, who may run this."""
    error = ziggurat._errors.error_of(code, f"cannot open x: {os.strerror(errno.EACCES)}")
    assert isinstance(error, PermissionError) and type(error) is getattr(ziggurat, kind)
    assert error.errno == errno.EACCES


def test_broken_source(ziggurat, source):
    path, _ = source
    with h5py.File(path, "r+") as file:
        file["pixels/bin2_id"][3] = 10**6
    with pytest.raises(ziggurat.FormatError, match="bin2_id"):
        ziggurat.zoomify(path, "out.mcool")
    assert sorted(os.listdir(".")) == ["base.cool"]


def test_names_that_are_no_utf8(ziggurat, tmp_path):
    name = os.fsdecode(b"caf\xe9.cool")
    (tmp_path / name).write_bytes(DEMO.read_bytes())
    assert ziggurat.ls(name) == [f"{name}::/"]
    assert ziggurat.open(tmp_path / name).uri == str(tmp_path / name)
    with pytest.raises(FileNotFoundError) as caught:
        ziggurat.open("x" + name)
    assert "x" + name in str(caught.value)


def test_progress(ziggurat, source, tmp_path):
    path, m = source
    heard = []
    ziggurat.zoomify(path, tmp_path / "a.mcool", resolutions="2000", progress=heard.append)
    assert {type(moment) for moment in heard} == {ziggurat.Progress}
    assert all(0 <= moment.done <= moment.total or moment.total == 0 for moment in heard)
    pixels = [moment for moment in heard if moment.stage == "coarsening"]
    assert pixels and pixels[-1].done == pixels[-1].total == m.nnz


def test_progress_bar(ziggurat, source, tmp_path, capfd):
    pytest.importorskip("tqdm")
    ziggurat.zoomify(source[0], tmp_path / "a.mcool", resolutions="2000", progress=True)
    assert "coarsening: 100%" in capfd.readouterr().err


def test_an_exception_of_the_callback_ends_the_work(ziggurat, source, tmp_path):
    class Enough(Exception):
        pass

    def stop(moment):
        raise Enough(moment.stage)

    with pytest.raises(Enough):
        ziggurat.zoomify(source[0], tmp_path / "a.mcool", progress=stop)
    assert sorted(os.listdir(tmp_path)) == ["base.cool"]


def test_notes_are_log_records(ziggurat, source, caplog):
    path, _ = source
    with h5py.File(path, "r+") as file:
        del file["indexes/bin1_offset"]
    with caplog.at_level(logging.INFO, logger="ziggurat"):
        ziggurat.zoomify(path, "out.mcool", resolutions="2000")
    assert any("bin1_offset" in record.getMessage() for record in caplog.records)


def test_reports_can_be_pickled(ziggurat, source):
    report = ziggurat.zoomify(source[0], "a.mcool", resolutions="2000", balance=True)
    again = pickle.loads(pickle.dumps(report))
    assert repr(again) == repr(report)
    verdict = ziggurat.verify("a.mcool")
    assert pickle.loads(pickle.dumps(verdict)) == verdict
