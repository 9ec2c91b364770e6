"""Options from a file: --config, --print-config."""

from pathlib import Path

import h5py
import pytest

from support.coolfile import resolutions, write_map
from support.maps import example_map
from support.program import one_line, refused, run, run_ok

pytestmark = pytest.mark.ours


@pytest.fixture(autouse=True)
def source():
    write_map("in.cool", example_map(71))


def _write(text):
    Path("c.toml").write_text(text)


def test_the_file_fills_in_what_the_command_line_leaves_open():
    _write('resolutions = "1000,2000,4000"\nbalance = true\nbalance-args = "--min-nnz 1 --mad-max 0"\n')
    run_ok("zoomify", "in.cool", "-o", "a.mcool", "--config", "c.toml")
    assert sorted(resolutions("a.mcool")) == [1000, 2000, 4000]
    with h5py.File("a.mcool") as file:
        assert file["resolutions/2000/bins/weight"].attrs["min_nnz"] == 1
    given = ("-r", "1000,5000", "--no-balance")
    run_ok("zoomify", "in.cool", "-o", "b.mcool", "--config", "c.toml", *given)
    assert sorted(resolutions("b.mcool")) == [1000, 5000]
    with h5py.File("b.mcool") as file:
        assert "weight" not in file["resolutions/5000/bins"]


def test_a_section_belongs_to_its_command():
    _write('[balance]\nmin-nnz = 3\n[zoomify]\nresolutions = "1000,3000"\n')
    run_ok("zoomify", "in.cool", "-o", "a.mcool", "--config", "c.toml")
    assert sorted(resolutions("a.mcool")) == [1000, 3000]


@pytest.mark.parametrize(
    "text, words",
    [
        ("resolution = 100\n", "c.toml.*'resolution'"),
        ('nproc = "many"\n', "c.toml.*many"),
        ("config = x\n", "c.toml.*'config'"),
        ("[zoomify]\nforce = perhaps\n", "c.toml"),
        (None, "c.toml.*No such file"),
    ],
)
def test_faults_name_the_file_and_the_key(text, words):
    if text is not None:
        _write(text)
    done = run("zoomify", "in.cool", "-o", "a.mcool", "--config", "c.toml")
    refused(done, words, code=2, absent=["a.mcool"])
    one_line(done)


def test_what_is_printed_can_be_read_again():
    given = ["-r", "1000,2000", "--balance", "--balance-args", "--mad-max 0 --min-nnz 1", "--field",
             "count:dtype=float64", "--field", "other", "-p", "2"]
    printed = run_ok("zoomify", "in.cool", *given, "--print-config")
    assert printed.err == ""
    _write(printed.out)
    again = run_ok("zoomify", "in.cool", "--config", "c.toml", "--print-config")
    assert again.out == printed.out
    assert 'field = ["count:dtype=float64", "other"]' in printed.out
    assert "\n# Balance the levels" in printed.out
