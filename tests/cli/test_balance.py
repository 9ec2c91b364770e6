"""The balance command and the balancing of zoomify: what is stored where, and what is refused."""

import fcntl
import gzip
import os
import re
import struct
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest

from support.balancing import check_balanced, masked_bins
from support.coolfile import digest, read_map, resolutions, write_map, write_pyramid
from support.maps import example_map, make_map, square_map, variable_map
from support.program import one_line, only_files, refused, run, run_ok

pytestmark = [pytest.mark.balance, pytest.mark.ours]

MASKS = ("--min-nnz", "2", "--mad-max", "0")


@pytest.fixture(autouse=True)
def source(tmp_path):
    m = example_map(211, {"ba1": 61_000, "ba2": 33_000}, scale=200, trans=4)
    write_map("in.cool", m)
    return m


def weight(path, group="/", name="weight"):
    return read_map(path, group).bin_columns[name]


def attributes(path, group="/", name="weight"):
    with h5py.File(path, "r") as file:
        return dict(file[group][f"bins/{name}"].attrs)


def shuffled_rows(m):
    """The same map with the pixels of every row in descending order."""
    order = np.lexsort((-m.bin2, m.bin1))
    return m.take(order)


class TestOneMap:
    def test_weights_do_not_depend_on_threads_slots_or_memory(self, source):
        run_ok("balance", *MASKS, "-p", "1", "in.cool")
        wanted = weight("in.cool")
        check_balanced(source, wanted, masked_bins(source, min_nnz=2, mad_max=0))
        for n, how in enumerate(
            [("-p", "2"), ("-p", "3"), ("--slot-size", "4096"), ("--memory", "1K")]
        ):
            run_ok("balance", *MASKS, *how, "--name", f"w{n}", "in.cool")
            assert np.array_equal(weight("in.cool", name=f"w{n}"), wanted, equal_nan=True), how

    def test_rows_out_of_order_give_the_same(self, source):
        run_ok("balance", *MASKS, "in.cool")
        write_map("mixed.cool", shuffled_rows(source))
        said = run_ok("balance", *MASKS, "mixed.cool").err
        assert "sorted" in said
        assert np.array_equal(weight("mixed.cool"), weight("in.cool"), equal_nan=True)

    def test_one_line_says_how_it_went(self, source):
        said = run_ok("balance", "--min-nnz", "8", "--min-count", "300", "in.cool").err
        line = next(text for text in said.splitlines() if "iterations" in text)
        assert "converged" in line and "variance" in line
        for rule in ("min-nnz", "min-count", "mad-max", "blacklist"):
            assert rule in line
        assert "error:" not in said.lower() and "exception:" not in said.lower()

    def test_nothing_else_is_left(self, tmp_path):
        run_ok("balance", "in.cool")
        only_files(tmp_path, "in.cool")

    def test_fractions_are_taken_and_kept(self):
        run_ok("balance", "--mad-max", "2.5", "in.cool")
        assert attributes("in.cool")["mad_max"] == 2.5

    def test_a_negative_value_is_a_value(self, source):
        run_ok("balance", "--mad-max", "-1", "--min-nnz=-1", "in.cool")
        assert attributes("in.cool")["mad_max"] == -1 and attributes("in.cool")["min_nnz"] == -1

    def test_chromosome_by_chromosome_has_numbers_of_each(self):
        run_ok("balance", "--cis-only", "in.cool")
        got = attributes("in.cool")
        assert got["cis_only"]
        for name, dtype in (("scale", np.float64), ("var", np.float64), ("converged", np.bool_)):
            assert got[name].shape == (2,) and got[name].dtype == dtype

    def test_a_gzip_blacklist_is_a_blacklist(self, source):
        with gzip.open("list.bed.gz", "wt") as file:
            file.write("ba1\t5000\t9000\n")
        run_ok("balance", *MASKS, "--blacklist", "list.bed.gz", "in.cool")
        masked = masked_bins(source, min_nnz=2, mad_max=0, blacklist=[5, 6, 7, 8])
        check_balanced(source, weight("in.cool"), masked)

    @pytest.mark.parametrize("name", ["start", "chrom", "a/b"])
    def test_a_name_that_would_harm_the_map(self, name):
        before = digest("in.cool")
        one_line(refused(run("balance", "--force", "--name", name, "in.cool"), "name", code=2))
        assert digest("in.cool") == before


class TestVarianceThatOnlyGrows:
    """Three bins that no weights make equal; the variance grows from the second round on."""

    OPTIONS = ("--ignore-diags", "0", "--min-nnz", "0", "--mad-max", "0")

    @pytest.fixture(autouse=True)
    def source(self):
        pixels = (np.array([0, 1, 2]), np.array([1, 1, 2]), np.array([2, 6, 1], np.int32))
        write_map("in.cool", make_map({"gr1": 3000}, 1000, pixels))

    def iterations(self, policy):
        result = run("balance", *self.OPTIONS, "--convergence-policy", policy, "in.cool")
        assert result.code == 0 and "only grows" in result.err
        return int(re.search(r"(\d+) iterations", result.err).group(1))

    def test_ends_early_when_nothing_is_kept(self):
        assert self.iterations("discard") < 50
        refused(
            run("balance", *self.OPTIONS, "--convergence-policy", "error", "in.cool"),
            "only grows",
            code=1,
        )

    @pytest.mark.parametrize("policy", ["store_final", "store_nan"])
    def test_goes_on_as_cooler_does_when_its_numbers_are_kept(self, policy):
        assert self.iterations(policy) == 200
        assert not attributes("in.cool")["converged"]


class TestAccelerated:
    OPTIONS = (*MASKS, "--iteration", "anderson")

    def test_reaches_the_same_weights_and_says_what_it_was(self, source):
        run_ok("balance", *self.OPTIONS, "--tol", "1e-12", "in.cool")
        accelerated = weight("in.cool")
        check_balanced(source, accelerated, masked_bins(source, min_nnz=2, mad_max=0))
        assert attributes("in.cool")["iteration"] == "anderson"
        run_ok("balance", *MASKS, "--force", "--tol", "1e-12", "--max-iters", "1000", "in.cool")
        assert "iteration" not in attributes("in.cool")
        assert np.allclose(weight("in.cool"), accelerated, rtol=1e-6, equal_nan=True)

    def test_does_not_depend_on_threads(self):
        for n in (1, 2, 3):
            run_ok("balance", *self.OPTIONS, "-p", n, "--name", f"w{n}", "in.cool")
        first = weight("in.cool", name="w1")
        for n in (2, 3):
            assert np.array_equal(weight("in.cool", name=f"w{n}"), first, equal_nan=True)

    def test_of_each_chromosome(self):
        tight = ("--tol", "1e-12", "--max-iters", "1000", "--cis-only")
        run_ok("balance", *self.OPTIONS, *tight, "--name", "fast", "in.cool")
        run_ok("balance", *MASKS, *tight, "--name", "plain", "in.cool")
        fast, plain = weight("in.cool", name="fast"), weight("in.cool", name="plain")
        assert np.allclose(fast, plain, rtol=1e-6, equal_nan=True)
        assert np.isfinite(plain).any()

    def test_is_for_rounds_only(self):
        result = run("balance", "--method", "vc", "--iteration", "anderson", "in.cool")
        one_line(refused(result, "--iteration", code=2))


class TestVanillaCoverage:
    """Row sums of the whole matrix, times the factor that keeps the sum of the matrix."""

    @pytest.fixture
    def dense(self, source):
        matrix = np.zeros((source.nbins, source.nbins))
        matrix[source.bin1, source.bin2] = source.count
        matrix[source.bin2, source.bin1] = source.count
        return matrix

    @pytest.mark.parametrize("method, power", [("vc", 1.0), ("vc_sqrt", 0.5)])
    def test_divides(self, dense, method, power):
        run_ok("balance", "--method", method, "in.cool")
        got = weight("in.cool", name=method.upper())
        rows = dense.sum(axis=1) ** power
        kept = rows > 0
        scaled = dense[np.ix_(kept, kept)] / np.outer(rows[kept], rows[kept])
        factor = np.sqrt(scaled.sum() / dense.sum())
        assert np.allclose(got[kept], rows[kept] * factor, rtol=1e-12)
        assert np.isnan(got[~kept]).all()
        found = attributes("in.cool", name=method.upper())
        assert found["divisive_weights"] and found["ignore_diags"] == 0 and found["min_nnz"] == 0


class TestSeveralMaps:
    @pytest.fixture(autouse=True)
    def pyramid(self):
        self.levels = {
            size: example_map(size, {"ba1": 80_000, "ba2": 50_000}, size, scale=200, trans=4)
            for size in (1000, 2000)
        }
        write_pyramid("in.mcool", self.levels)

    def test_every_level_is_balanced(self):
        run_ok("balance", *MASKS, "in.mcool")
        for size, m in self.levels.items():
            got = weight("in.mcool", f"/resolutions/{size}")
            check_balanced(m, got, masked_bins(m, min_nnz=2, mad_max=0))

    def test_all_or_none(self):
        run_ok("balance", *MASKS, "in.mcool::/resolutions/2000")
        before = digest("in.mcool")
        refused(run("balance", *MASKS, "in.mcool"), r"resolutions/2000.*exist", code=1)
        assert digest("in.mcool") == before

    def test_check_tells_of_each(self):
        run_ok("balance", *MASKS, "in.mcool::/resolutions/2000")
        result = run("balance", "--check", "in.mcool")
        assert result.code == 1
        assert result.out.splitlines() == [
            "in.mcool::/resolutions/1000: No 'weight' column found.",
            "in.mcool::/resolutions/2000 is balanced.",
        ]

    def test_a_level_that_does_not_converge_spoils_it_for_all(self):
        before = digest("in.mcool")
        args = (*MASKS, "--max-iters", "1", "--convergence-policy", "error")
        refused(run("balance", *args, "in.mcool"), "converge", code=1)
        assert digest("in.mcool") == before


class TestLinks:
    @pytest.fixture(autouse=True)
    def link(self, source):
        os.symlink("in.cool", "link.cool")

    def test_are_followed(self, tmp_path):
        run_ok("balance", *MASKS, "link.cool")
        assert os.path.islink("link.cool")
        assert "weight" in read_map("in.cool").bin_columns
        only_files(tmp_path, "in.cool", "link.cool")

    def test_are_replaced_when_asked(self, tmp_path):
        before = digest("in.cool")
        run_ok("balance", *MASKS, "--replace-link", "link.cool")
        assert digest("in.cool") == before and not os.path.islink("link.cool")
        assert "weight" in read_map("link.cool").bin_columns
        only_files(tmp_path, "in.cool", "link.cool")


class TestAFileInUse:
    def test_somebody_else_holds_it(self):
        with open("in.cool", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            before = digest("in.cool")
            refused(run("balance", "--lock-timeout", "0", "in.cool"), "lock", code=75)
        assert digest("in.cool") == before

    def test_printing_needs_no_lock(self):
        with open("in.cool", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            run_ok("balance", "--stdout", "--lock-timeout", "0", "in.cool")


def journal_header(content):
    head = content[:65536]
    fields = struct.pack("<8sIIqqI", b"ZIGGJRNL", 1, zlib.crc32(head), len(content), len(head), 0)
    return fields + struct.pack("<I", zlib.crc32(fields))


def journal_commit(header, offset, data, old_bytes, added):
    record = struct.pack("<qq", offset, len(data)) + data
    records = struct.pack("<II", 1, zlib.crc32(record)) + record
    so_far = header[:36] + records
    end = struct.pack("<qqII", old_bytes + len(added), 1, zlib.crc32(added), zlib.crc32(so_far))
    return records + struct.pack("<II", 2, zlib.crc32(end)) + end


@pytest.mark.parametrize("command", [("ls",), ("coarsen", "-k", "2", "-o", "k.cool")])
class TestInterruptedEdits:
    """Whatever command comes next settles what an interrupted change has left."""

    JOURNAL = "in.cool.ziggurat-journal"

    def test_undecided_is_undone(self, command):
        content = Path("in.cool").read_bytes()
        Path("in.cool").write_bytes(content + b"half of something new")
        Path(self.JOURNAL).write_bytes(journal_header(content))
        run_ok(*command, "in.cool")
        assert Path("in.cool").read_bytes() == content
        assert not os.path.exists(self.JOURNAL)

    def test_decided_is_finished(self, command):
        content = Path("in.cool").read_bytes()
        # The bytes are those that are there already, so that the file stays a map.
        offset, data, added = 100, content[100:150], b"what the change added"
        header = journal_header(content)
        Path(self.JOURNAL).write_bytes(
            header + journal_commit(header, offset, data, len(content), added)
        )
        damaged = content[:100] + bytes(50) + content[150:] + added
        Path("in.cool").write_bytes(damaged)
        run_ok(*command, "in.cool")
        assert Path("in.cool").read_bytes() == content + added
        assert not os.path.exists(self.JOURNAL)


class TestZoomify:
    def zoomify(self, *more, levels="2000,4000"):
        return run("zoomify", "-r", levels, "--balance", *more, "-o", "o.mcool", "in.cool")

    def balanced(self):
        return {
            size: "weight" in read_map("o.mcool", f"/resolutions/{size}").bin_columns
            for size in resolutions("o.mcool")
        }

    def test_only_what_was_asked_for_is_balanced(self):
        assert self.zoomify().code == 0
        assert self.balanced() == {1000: False, 2000: True, 4000: True}

    def test_a_level_may_be_left_out(self):
        assert self.zoomify("--no-balance-at", "4000", levels="1000,2000,4000").code == 0
        assert self.balanced() == {1000: True, 2000: True, 4000: False}

    def test_a_level_may_have_options_of_its_own(self):
        args = ("--balance-args", "--cis-only --mad-max 3", "--balance-args", "4000:--mad-max -1")
        assert self.zoomify(*args).code == 0
        fine, coarse = (attributes("o.mcool", f"/resolutions/{size}") for size in (2000, 4000))
        assert fine["mad_max"] == 3 and coarse["mad_max"] == -1
        assert fine["cis_only"] and coarse["cis_only"]

    @pytest.mark.parametrize(
        "more", [("--balance-args", "5000:--mad-max 7"), ("--no-balance-at", "5000")]
    )
    def test_a_resolution_that_is_no_level_is_refused(self, more, tmp_path):
        refused(self.zoomify(*more), "5000", code=1)
        only_files(tmp_path, "in.cool")

    @pytest.mark.parametrize(
        "text, words",
        [
            ("--mad-max seven", "mad-max"),
            ("\u2013mad-max 7", "dash"),
            ("--name 'weight", "quote"),
            ("--check", "--check"),
            ("--cis-only --trans-only", "cis.*trans"),
            ("--blacklist missing.bed", "missing.bed"),
            ("--max-iters 0", "max-iters"),
        ],
    )
    def test_bad_options_are_found_first(self, text, words, tmp_path):
        one_line(refused(self.zoomify("--balance-args", text), words, code=2))
        only_files(tmp_path, "in.cool")

    def test_quotes_work_as_in_a_shell(self):
        assert self.zoomify("--balance-args", "--name 'my weights'").code == 0
        assert "my weights" in read_map("o.mcool", "/resolutions/2000").bin_columns

    def test_equal_to_balancing_afterwards(self):
        assert self.zoomify("--balance-args", " ".join(MASKS)).code == 0
        run_ok("zoomify", "-r", "2000,4000", "-o", "later.mcool", "in.cool")
        run_ok("balance", *MASKS, "later.mcool")
        for size in (2000, 4000):
            group = f"/resolutions/{size}"
            assert np.array_equal(
                weight("o.mcool", group), weight("later.mcool", group), equal_nan=True
            )

    def test_printed_weights_are_not_stored(self):
        result = self.zoomify("--balance-args", "--stdout")
        assert result.code == 0 and len(result.out.splitlines()) == 48 + 25
        assert not any(self.balanced().values())

    def test_no_convergence_may_be_an_error(self, tmp_path):
        args = ("--balance-args", "--max-iters 1 --convergence-policy error")
        refused(self.zoomify(*args), "converge", code=1)
        only_files(tmp_path, "in.cool")

    def test_old_weights_stay_when_new_ones_are_discarded(self, source):
        source.bin_columns = {"weight": np.full(source.nbins, 0.25)}
        write_map("in.cool", source)
        args = ("--balance-args", "--max-iters 1 --convergence-policy discard")
        assert self.zoomify(*args, levels="1000,2000").code == 0
        assert (weight("o.mcool", "/resolutions/1000") == 0.25).all()
        assert self.balanced() == {1000: True, 2000: False}

    def test_distances_mean_nothing_in_variable_bins(self):
        write_map("in.cool", variable_map())
        args = ("--balance-args", "--ignore-dist 100")
        refused(self.zoomify(*args, levels="2"), "ignore-dist")

    @pytest.mark.parametrize("inside", [True, False])
    def test_square_maps_are_balanced_when_allowed(self, inside):
        write_map("in.cool", square_map())
        refused(self.zoomify(levels="2000"), "--allow-square", code=1)
        more = ("--balance-args", "--allow-square") if inside else ("--allow-square",)
        assert self.zoomify(*more, levels="2000").code == 0
