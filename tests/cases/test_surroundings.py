"""Where a command runs: paths, links, read-only and lock-less storage, other jobs, old outputs."""

import os

import pytest

from support.balancing import check_balanced, masked_bins
from support.check import check_level, check_pyramid
from support.coolfile import digest, read_map, resolutions, write_map, write_pyramid
from support.maps import coarsened, example_map
from support.program import finish, only_files, refused, run, run_ok, start
from support.surroundings import held_open, read_only_folder, without_locks

CHROMS = {"sm1": 50_000, "sm2": 20_000}
BALANCE = ("--balance", "--balance-args", "--min-nnz 2 --mad-max 0")


def put(path="in.cool", seed=139):
    m = example_map(seed, CHROMS, scale=100, trans=3)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    write_map(path, m)
    return m


def check_weights(path, group):
    m = read_map(path, group)
    check_balanced(m, m.bin_columns["weight"], masked_bins(m, min_nnz=2, mad_max=0))


@pytest.mark.ours
class TestOutputIsTheInput:
    WORDS = r"same|input|overwrit|itself|exist|identical"

    @pytest.mark.parametrize(
        "command", [("zoomify", "-r", "2000"), ("coarsen", "-k", "2")], ids=["zoomify", "coarsen"]
    )
    @pytest.mark.parametrize("output", ["in.cool", "./in.cool", "symbolic.cool", "hard.cool"])
    def test_refused(self, command, output):
        put()
        os.symlink("in.cool", "symbolic.cool")
        os.link("in.cool", "hard.cool")
        before = digest("in.cool")
        refused(run(*command, "-o", output, "in.cool"), self.WORDS)
        assert digest("in.cool") == before
        assert os.path.islink("symbolic.cool")

    def test_default_name_of_an_input_called_mcool(self, tmp_path):
        m = put("sample.mcool")
        before = digest("sample.mcool")
        result = run("zoomify", "-r", "2000", "sample.mcool")
        assert digest("sample.mcool") == before
        others = sorted({p.name for p in tmp_path.iterdir()} - {"sample.mcool"})
        if result.code != 0:
            refused(result, self.WORDS)
            assert others == []
        else:
            assert len(others) == 1
            check_pyramid(others[0], m, [2000])


class TestPaths:
    def test_symbolic_links_and_spaces(self):
        m = put("store/dataset_0042.dat")
        os.makedirs("my results (1)")
        os.makedirs("aus gabe")
        os.symlink("../store/dataset_0042.dat", "my results (1)/проба №1.cool")
        run_ok(
            "zoomify",
            "-r",
            "2000,8000",
            "-o",
            "aus gabe/ré sultat.mcool",
            "my results (1)/проба №1.cool",
        )
        check_pyramid("aus gabe/ré sultat.mcool", m, [2000, 8000])
        assert os.path.islink("my results (1)/проба №1.cool")
        only_files("aus gabe", "ré sultat.mcool")

    def test_no_extension_is_required(self):
        m = put("store/dataset_0042.dat")
        os.makedirs("out")
        run_ok("zoomify", "-r", "2000", "-o", "../out/output.dat", "dataset_0042.dat", cwd="store")
        check_pyramid("out/output.dat", m, [2000])

    def test_output_through_a_dangling_link(self):
        m = put()
        os.makedirs("scratch")
        os.symlink("scratch/real.mcool", "link.mcool")
        run_ok("zoomify", "-r", "2000", "-o", "link.mcool", "in.cool")
        check_pyramid("link.mcool", m, [2000])

    @pytest.mark.balance
    def test_balance_follows_a_link(self):
        put("store/real.cool")
        os.symlink("store/real.cool", "link.cool")
        run_ok("balance", "--min-nnz", "2", "--mad-max", "0", "link.cool")
        assert os.path.islink("link.cool")
        check_weights("store/real.cool", "/")

    @pytest.mark.balance
    def test_balance_takes_a_group_without_its_slash(self):
        write_pyramid("a b.mcool", {2000: example_map(1, CHROMS, 2000, scale=100, trans=3)})
        run_ok("balance", "--min-nnz", "2", "--mad-max", "0", "a b.mcool::resolutions/2000")
        check_weights("a b.mcool", "/resolutions/2000")

    @pytest.mark.parametrize(
        "command", [("zoomify", "-r", "2000"), ("coarsen", "-k", "2")], ids=["zoomify", "coarsen"]
    )
    def test_missing_folder_is_refused(self, command):
        put()
        refused(
            run(*command, "-o", "no/such/dir/o.cool", "in.cool"),
            r"no such|director|not exist|cannot|unable|create|open",
            absent=["no"],
        )

    @pytest.mark.ours
    def test_missing_input_is_named(self, tmp_path):
        refused(run("zoomify", "-r", "2000", "-o", "x.mcool", "absent.cool"), r"absent\.cool")
        only_files(tmp_path)


class TestReadOnlyStorage:
    """Archives and container layers: nothing but the output's folder may be written."""

    @pytest.fixture(autouse=True)
    def surroundings(self, tmp_path):
        self.map = put("archive/in.cool")
        os.makedirs("out")
        archive = tmp_path / "archive"
        self.out = tmp_path / "out"
        self.how = {
            "prefix": read_only_folder(archive),
            "env": {"TMPDIR": str(archive), "HOME": str(archive)},
        }
        yield
        only_files(archive, "in.cool")

    @pytest.mark.ours
    def test_zoomify(self):
        run_ok("zoomify", "-r", "2000,8000", "-o", self.out / "o.mcool", "in.cool", **self.how)
        check_pyramid(self.out / "o.mcool", self.map, [2000, 8000])
        only_files(self.out, "o.mcool")

    def test_coarsen(self):
        run_ok("coarsen", "-k", "3", "-o", self.out / "k.cool", "in.cool", **self.how)
        check_level(self.out / "k.cool", "/", coarsened(self.map, 3))

    def test_info(self):
        run_ok("info", "in.cool", **self.how)

    @pytest.mark.ours
    def test_zoomify_beside_the_input_is_refused(self):
        refused(
            run("zoomify", "-r", "2000", "in.cool", **self.how),
            r"read.?only|permission|writ|create|open",
            code=1,
        )

    @pytest.mark.balance
    @pytest.mark.ours
    def test_balance_in_place_is_refused(self):
        refused(run("balance", "in.cool", **self.how), r"read.?only|permission|writ|open", code=1)

    @pytest.mark.balance
    @pytest.mark.ours
    def test_balance_that_prints(self):
        lines = run_ok(
            "balance", "--stdout", "--min-nnz", "2", "--mad-max", "0", "in.cool", **self.how
        ).out.splitlines()
        assert len(lines) == self.map.nbins


@pytest.mark.ours
@pytest.mark.parametrize(
    "locking",
    [
        {},
        {"HDF5_USE_FILE_LOCKING": "FALSE"},
        {"HDF5_USE_FILE_LOCKING": "TRUE"},
        {"HDF5_USE_FILE_LOCKING": "BEST_EFFORT"},
    ],
    ids=["unset", "off", "on", "best_effort"],
)
@pytest.mark.parametrize("error", [37, 524, 38], ids=["ENOLCK", "ENOTSUPP", "ENOSYS"])
class TestNoLocks:
    def test_zoomify(self, error, locking, tmp_path):
        m = put()
        run_ok(
            "zoomify",
            "-r",
            "2000,8000",
            "-o",
            "o.mcool",
            "in.cool",
            prefix=without_locks(error),
            env=locking,
        )
        check_pyramid("o.mcool", m, [2000, 8000])
        only_files(tmp_path, "in.cool", "o.mcool")

    @pytest.mark.balance
    def test_balance(self, error, locking):
        put()
        run_ok(
            "balance",
            "--min-nnz",
            "2",
            "--mad-max",
            "0",
            "in.cool",
            prefix=without_locks(error),
            env=locking,
        )
        check_weights("in.cool", "/")


def test_several_jobs_read_one_input(tmp_path):
    m = put()
    before = digest("in.cool")
    with held_open("in.cool"):
        jobs = [
            start("zoomify", "-p", "2", "-r", "2000,10000", "-o", f"o{i}.mcool", "in.cool")
            for i in range(3)
        ]
        jobs.append(start("coarsen", "-k", "5", "-o", "k.cool", "in.cool"))
        results = [finish(job) for job in jobs]
    assert [r.code for r in results] == [0] * 4, results
    for i in range(3):
        check_pyramid(f"o{i}.mcool", m, [2000, 10000])
    check_level("k.cool", "/", coarsened(m, 5))
    assert digest("in.cool") == before
    only_files(tmp_path, "in.cool", "k.cool", "o0.mcool", "o1.mcool", "o2.mcool")


@pytest.mark.balance
def test_several_jobs_balance_their_own_outputs():
    put()
    jobs = [
        start("zoomify", "-r", "1000,2000", *BALANCE, "-o", f"o{i}.mcool", "in.cool")
        for i in range(3)
    ]
    assert [finish(job).code for job in jobs] == [0] * 3
    for i in range(3):
        check_weights(f"o{i}.mcool", "/resolutions/1000")


def older_pyramid():
    write_pyramid(
        "out.cool", {2000: example_map(1, CHROMS, 2000), 7000: example_map(2, CHROMS, 7000)}
    )


def text_file():
    with open("out.cool", "w") as file:
        file.write("notes\n")


def empty_file():
    open("out.cool", "w").close()


@pytest.mark.parametrize("old", [older_pyramid, text_file, empty_file])
class TestOldOutput:
    """An old file at the output's name is replaced as a whole, never mixed with the new."""

    def test_by_a_pyramid(self, old):
        m = put()
        old()
        run_ok("zoomify", "-r", "2000,8000", "-o", "out.cool", "in.cool")
        check_pyramid("out.cool", m, [2000, 8000])

    def test_by_one_level(self, old):
        m = put()
        old()
        run_ok("coarsen", "-k", "2", "-o", "out.cool", "in.cool")
        check_level("out.cool", "/", coarsened(m, 2))
        with pytest.raises(KeyError):
            resolutions("out.cool")


@pytest.mark.ours
def test_a_folder_at_the_name_of_the_output_is_refused():
    put()
    os.makedirs("folder.mcool")
    refused(
        run("zoomify", "-r", "2000", "-o", "folder.mcool", "in.cool"),
        r"director|folder|exist|open|create",
        code=1,
    )
    assert os.listdir("folder.mcool") == []
