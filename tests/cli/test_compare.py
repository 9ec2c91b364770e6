"""compare finds every kind of difference, says where the first is, and ends as cmp does."""

import json
import shutil
from dataclasses import replace

import h5py
import numpy as np
import pytest

from support.coolfile import write_map
from support.maps import example_map
from support.program import not_crashed, run, run_ok

pytestmark = pytest.mark.ours

M = replace(example_map(501), bin_columns={"weight": np.linspace(0.5, 1.5, example_map(501).nbins)})


def differ(a="a.cool", b="b.cool", *options):
    result = not_crashed(run("compare", *options, a, b))
    assert result.code == 1, str(result)
    data = json.loads(run("compare", "--json", *options, a, b).out)
    assert data["same"] is False
    return result.out, data["differences"]


def changed(array, at, value):
    out = array.copy()
    out[at] = value
    return out


@pytest.fixture(autouse=True)
def first_map():
    write_map("a.cool", M)


def test_equal_maps_stored_differently():
    write_map("b.cool", M, filters={}, id_dtype="i4", enum=False,
              attrs={"creation-date": "2031-01-01T00:00:00", "generated-by": "another"})
    assert "equal" in run_ok("compare", "a.cool", "b.cool").out
    data = json.loads(run_ok("compare", "--json", "a.cool", "b.cool").out)
    assert data["same"] is True and data["differences"] == [] and data["pixels"] == M.nnz


def test_values():
    count = changed(changed(M.count, 100, M.count[100] + 7), 200, M.count[200] + 3)
    write_map("b.cool", M.with_columns(count=count))
    text, found = differ()
    (pixels,) = [d for d in found if d["kind"] == "pixels"]
    assert (pixels["different"], pixels["largest"]) == (2, 7)
    assert (pixels["only_a"], pixels["only_b"]) == (0, 0)
    assert f"(bin1_id {M.bin1[100]}, bin2_id {M.bin2[100]}): {M.count[100]} and {count[100]}" in text


def test_pixels_of_one_only():
    write_map("b.cool", M.take(np.delete(np.arange(M.nnz), [5, 6, 9])))
    write_map("a.cool", M.take(np.delete(np.arange(M.nnz), [2])))
    text, found = differ()
    (pixels,) = [d for d in found if d["kind"] == "pixels"]
    assert (pixels["only_a"], pixels["only_b"], pixels["different"]) == (3, 1, 0)
    assert f"(bin1_id {M.bin1[2]}, bin2_id {M.bin2[2]}): only in the second" in text


def test_weights_and_tolerance():
    weight = M.bin_columns["weight"]
    write_map("b.cool", replace(M, bin_columns={"weight": changed(weight * (1 + 1e-12), 4, np.nan)}))
    _, found = differ()
    (column,) = [d for d in found if d["kind"] == "column"]
    assert column["object"] == "bins/weight" and column["different"] > 100
    text, found = differ("a.cool", "b.cool", "--tolerance", "1e-9")
    assert [d["different"] for d in found] == [1]
    assert "row 4" in text


def test_columns_and_attributes_of_one_only():
    write_map("b.cool", replace(M, bin_columns={}), attrs={"genome-assembly": "other"})
    text, found = differ()
    assert {(d["kind"], d["object"]) for d in found} == {
        ("column", "bins/weight"), ("attribute", "genome-assembly")}
    assert "toy1 and other" in text


def test_bins():
    write_map("b.cool", example_map(501, bin_size=2000))
    text, found = differ()
    assert [d["kind"] for d in found] == ["bins"]
    assert "1000 bp" in text and "2000 bp" in text


def test_pyramids():
    run_ok("zoomify", "-q", "-r", "2000,4000", "-o", "a.mcool", "a.cool")
    run_ok("zoomify", "-q", "-r", "2000,6000", "-o", "b.mcool", "a.cool")
    assert json.loads(run("compare", "--json", "a.mcool", "a.mcool").out)["maps"] == 3
    text, found = differ("a.mcool", "b.mcool")
    assert [(d["kind"], d["object"]) for d in found] == [
        ("map", "/resolutions/4000"), ("map", "/resolutions/6000")]
    run_ok("compare", "a.mcool::/resolutions/2000", "b.mcool::/resolutions/2000")
    shutil.copy("a.mcool", "c.mcool")
    with h5py.File("c.mcool", "r+") as file:
        file["/resolutions/4000/pixels/count"][3] += 1
    text, found = differ("a.mcool", "c.mcool")
    assert [d["group"] for d in found] == ["/resolutions/4000"]


@pytest.mark.parametrize("args", [("a.cool",), ("a.cool", "none.cool"), ("a.cool", "x"), ("--tolerance", "-1", "a.cool", "a.cool")])
def test_trouble_is_two(args):
    with open("x", "w") as out:
        out.write("no map")
    result = not_crashed(run("compare", *args))
    assert result.code == 2 and result.out == "" and len(result.err.splitlines()) == 1
