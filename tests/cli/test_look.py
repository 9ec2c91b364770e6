"""ls, info, tree, attrs and makebins print what the reference prints, byte for byte."""

import gzip
import io
import json
from contextlib import redirect_stdout

import h5py
import numpy as np
import pytest

from support import reference
from support.coolfile import write_map
from support.maps import example_map
from support.program import one_line, refused, run, run_ok


def reference_text(*args):
    """What cooler prints; None where it fails."""
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            reference.run(*args)
    except (Exception, SystemExit):  # noqa: BLE001  (whatever it may be)
        return None
    return out.getvalue()


def same_text(*args):
    want = reference_text(*args)
    if want is None:
        pytest.skip(f"the reference fails at: {args}")
    assert run_ok(*args).out == want


STRANGE = {
    "empty": "",
    "blank": " led and trailed ",
    "quoted": "it's \"quoted\"",
    "colon": "a: b #c",
    "dash": "- item",
    "lines": "first\nsecond\n\nfourth",
    "ended line": "first\n",
    "number": "0x1F",
    "yes": "yes",
    "date": "2024-02-29",
    "moment": "2024-02-29T10:00:00.5",
    "moment0": "2024-02-29T10:00:00.000000",
    "moment without fraction": "2024-02-29T10:00:00",
    "accents": "é ü \u4e2d \U0001f600",
    "tab": "a\tb",
    "long": "word " * 40 + "end",
    "long quoted": "it's " * 40 + ": end",
    "long special": "é words " * 30,
    "json": json.dumps({"b": [1, 2.5, None, True, {"x": [], "y": {}, "z": [[1, [2]], "t"]}], "a": "é\n"}),
    "json list": "[{\"a\": 1, \"b\": [2]}, 3]",
    "json number": "12",
    "json big": "123456789012345678901234567890",
    "json float": "1e5",
    "json tiny": "1.5E-7",
    "float": np.float64(0.1),
    "float32": np.float32(0.1),
    "huge": np.float64(1e17),
    "inf": np.float64("-inf"),
    "nan": np.float64("nan"),
    "flag": np.bool_(True),
    "small": np.int8(-3),
    "one": np.array([7]),
    "uint": np.uint64(2**64 - 1),
}


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    path = tmp_path_factory.mktemp("look") / "in.cool"
    write_map(path, example_map(601), attrs=STRANGE)
    with h5py.File(path, "r+") as file:
        file["bins/start"].attrs["unit"] = "bp"
        file.create_dataset("extra/matrix", data=np.zeros((2, 3), dtype=">u2"))
        file.create_dataset("extra/scalar", data=1.5)
        file.create_dataset("extra/flags", data=np.array([True, False]))
        file["extra/link"] = h5py.SoftLink("/chroms")
    return path


@pytest.mark.parametrize("args", [("attrs",), ("attrs", "-L", 0), ("attrs", "-L", 1), ("tree",), ("tree", "-L", 1),
                                  ("info",), ("info", "-m"), ("ls",), ("ls", "-l")])
def test_strange_attributes(strange, args):
    same_text(*args, strange)


# numpy prints an array of one element, and the digits of single precision, in its own way.
PRINTED = [name for name in STRANGE if name not in ("one", "float32")]


@pytest.mark.parametrize("name", [*PRINTED, "bin-size", "storage-mode", "metadata"])
def test_a_field(strange, name):
    same_text("info", "-f", name, strange)


# Its attributes are text of fixed length, which the reference takes for bytes.
OF_BYTES = "small_test_matrix_scaled_by_2.cool"


@pytest.mark.parametrize("real", [m for m in reference.REAL if m.file != OF_BYTES], ids=str)
def test_real_maps(real):
    for command in (["info", real.uri], ["info", "-m", real.uri], ["ls", "-l", real.path],
                    ["tree", real.path], ["attrs", real.uri]):
        want = reference_text(*command)
        # Maps without the attribute `format` are none for the reference's ls.
        if want:
            assert run_ok(*command).out == want, f"{command}"


@pytest.mark.ours
def test_a_list_in_an_attribute_is_a_list(strange):
    with h5py.File("in.cool", "w") as file:
        file.attrs["scale"] = [1.5, 2.0]
    assert run_ok("attrs", "in.cool").out == "'@attrs':\n  scale:\n  - 1.5\n  - 2.0\n\n"


def test_output_file(strange):
    run_ok("info", "-o", "o.json", strange)
    assert open("o.json").read() == run_ok("info", strange).out


@pytest.mark.ours
def test_what_is_not_there(strange):
    one_line(refused(run("info", "-f", "nothing", strange), "nothing", code=1))
    one_line(refused(run("tree", f"{strange}::/nothing"), "/nothing", code=1))
    with h5py.File("loop.h5", "w") as file:
        file.create_group("a")
        file["a/self"] = file["a"]
    one_line(refused(run("tree", "loop.h5"), "hold themselves", code=1))


SIZES = "chr1\t10500\nchr2\t3000\textra\nscaffold x\t1\n"


@pytest.mark.parametrize("options", [(), ("-H",), ("-i", "0"), ("-H", "-i", "1"), ("--rel-ids", "1")])
@pytest.mark.parametrize("bin_size", [1, 1000, 3000, 99999])
def test_bins(options, bin_size):
    with open("sizes", "w") as out:
        out.write(SIZES)
    same_text("makebins", *options, "sizes", bin_size)


@pytest.mark.ours
def test_bins_of_gzip_and_broken_lists(tmp_path):
    (tmp_path / "sizes.gz").write_bytes(gzip.compress(SIZES.encode()))
    assert run_ok("makebins", "sizes.gz", "5000").out.startswith("chr1\t0\t5000\nchr1\t5000\t10000\nchr1\t10000\t10500\n")
    for text, words in (("chr1 100\n", "line 1"), ("chr1\t5\nchr1\t6\n", "twice"), ("", "no chromosome"), ("a\t0\n", "line 1")):
        (tmp_path / "bad").write_text(text)
        one_line(refused(run("makebins", "bad", "100"), words, code=1))
    refused(run("makebins", "bad", "0"), "", code=2)
