"""A source that breaks a rule is refused with one line: the file, the object, the row."""

from dataclasses import replace

import h5py
import numpy as np
import pytest

from support.coolfile import write_map
from support.maps import example_map
from support.program import one_line, only_files, refused, run, run_ok

pytestmark = pytest.mark.ours

COMMANDS = {
    "zoomify": ("zoomify", "--quiet", "-r", "2000"),
    "coarsen": ("coarsen", "--quiet", "-k", "2"),
}

M = example_map(81)
ROW = 4321  # where each fault of the pixel table is put


def put(array, value, row=ROW):
    changed = array.copy()
    changed[row] = value
    return changed


def last_of_row(m, row=ROW):
    """The last pixel of the matrix row that holds `row`, so that order is kept."""
    return int(np.searchsorted(m.bin1, m.bin1[row], side="right")) - 1


def too_high():
    at = last_of_row(M)
    return replace(M, bin2=put(M.bin2, M.nbins, at)), at, "bin2_id"


def far_too_high():
    at = last_of_row(M)
    return replace(M, bin2=put(M.bin2, 2**40, at)), at, "bin2_id"


def negative():
    at = int(np.searchsorted(M.bin1, M.bin1[ROW]))
    return replace(M, bin2=put(M.bin2, -1, at)), at, "bin2_id"


def below_the_diagonal():
    at = int(np.searchsorted(M.bin1, M.bin1[ROW]))
    return replace(M, bin2=put(M.bin2, M.bin1[at] - 1, at)), at, "bin"


def duplicate():
    return (
        replace(M, bin1=put(M.bin1, M.bin1[ROW - 1]), bin2=put(M.bin2, M.bin2[ROW - 1])),
        ROW,
        "bin",
    )


def rows_out_of_order():
    return replace(M, bin1=put(M.bin1, M.bin1[ROW] - 3)), ROW, "bin1_id"


def not_a_number():
    return M.with_columns(count=put(M.count.astype(np.float64), np.nan)), ROW, "count"


def infinite():
    return M.with_columns(count=put(M.count.astype(np.float64), np.inf)), ROW, "count"


FAULTS = [
    too_high,
    far_too_high,
    negative,
    below_the_diagonal,
    duplicate,
    rows_out_of_order,
    not_a_number,
    infinite,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("filters", [None, {}], ids=["chunked", "contiguous"])
def test_a_fault_of_the_pixel_table_names_its_row(fault, command, filters, tmp_path):
    m, row, column = fault()
    # The index is that of the sound table: only the ids can give the fault away.
    write_map("bad.cool", m, filters=filters, indexes={"bin1_offset": M.bin1_offset()})
    line = one_line(refused(run(*COMMANDS[command], "-o", "out.cool", "bad.cool"), code=1))
    assert "bad.cool" in line and column in line
    assert str(row) in line or str(row - 1) in line, f"row {row} in: {line}"
    only_files(tmp_path, "bad.cool")


def spoiled(change):
    write_map("bad.cool", M)
    with h5py.File("bad.cool", "r+") as file:
        change(file)


def remove(path):
    return lambda file: file.__delitem__(path)


def replace_dataset(path, values):
    def change(file):
        del file[path]
        file[path] = values

    return change


STRUCTURE = {
    "no_counts": (remove("pixels/count"), "count"),
    "no_ids": (remove("pixels/bin2_id"), "bin2_id"),
    "no_bins": (remove("bins"), "bins"),
    "no_chroms": (remove("chroms"), "chroms"),
    "short_counts": (replace_dataset("pixels/count", np.ones(10, np.int32)), "count"),
    "short_names": (replace_dataset("chroms/name", np.array([b"a"])), "chroms"),
    "counts_as_text": (replace_dataset("pixels/count", np.full(M.nnz, b"7")), "count"),
    "ids_as_floats": (replace_dataset("pixels/bin1_id", M.bin1.astype(np.float64)), "bin1_id"),
    "two_dimensions": (replace_dataset("pixels/count", np.ones((M.nnz, 2), np.int32)), "count"),
    "unknown_chrom": (replace_dataset("bins/chrom", np.full(M.nbins, 99, np.int32)), "chrom"),
    "bins_that_overlap": (replace_dataset("bins/start", np.zeros(M.nbins, np.int32)), "bins"),
}


@pytest.mark.parametrize("fault", STRUCTURE)
def test_a_fault_of_the_structure_names_the_object(fault, tmp_path):
    change, name = STRUCTURE[fault]
    spoiled(change)
    line = one_line(refused(run(*COMMANDS["zoomify"], "-o", "out.cool", "bad.cool"), code=1))
    assert "bad.cool" in line and name in line
    only_files(tmp_path, "bad.cool")


def test_a_damaged_chunk_is_named(tmp_path):
    write_map("bad.cool", M, filters={"compression": "gzip", "shuffle": True, "chunks": 1000})
    with h5py.File("bad.cool", "r") as file:
        chunk = file["pixels/count"].id.get_chunk_info(2)
    with open("bad.cool", "r+b") as file:
        file.seek(chunk.byte_offset + chunk.size // 2)
        file.write(b"\xff" * 40)
    line = one_line(refused(run(*COMMANDS["zoomify"], "-o", "out.cool", "bad.cool"), code=1))
    assert "bad.cool" in line and "count" in line
    only_files(tmp_path, "bad.cool")


def test_sums_beyond_64_bits_are_refused(tmp_path):
    m = M.with_columns(count=np.full(M.nnz, 2**62, np.int64))
    write_map("bad.cool", m)
    line = one_line(refused(run(*COMMANDS["coarsen"], "-o", "out.cool", "bad.cool"), code=1))
    assert "bad.cool" in line or "out.cool" in line
    only_files(tmp_path, "bad.cool")


def test_external_data_is_not_followed(tmp_path):
    """A file that points elsewhere must not make the tool read there."""
    (tmp_path / "other").write_bytes(b"\0" * 8 * M.nnz)

    def point_outside(file):
        del file["pixels/count"]
        file.create_dataset("pixels/count", (M.nnz,), "i4", external=[("other", 0, 4 * M.nnz)])

    spoiled(point_outside)
    refused(
        run(*COMMANDS["zoomify"], "-o", "out.cool", "bad.cool"),
        "external",
        code=1,
        absent=["out.cool"],
    )


def test_duplicates_may_be_summed():
    m, _, _ = duplicate()
    write_map("bad.cool", m)
    run_ok("coarsen", "-k", "2", "--duplicates", "sum", "-o", "out.cool", "bad.cool")


def test_only_the_word_for_it_sums_duplicates():
    m, _, _ = duplicate()
    write_map("bad.cool", m)
    refused(
        run("coarsen", "-k", "2", "--duplicates", "drop", "-o", "out.cool", "bad.cool"),
        "duplicates|drop",
        code=2,
    )
