"""The recipes for bioconda and for a container say what this tree needs and has.

Neither can be built here, for want of conda's channels and of a container engine with images; each
name in them is checked against the tree, and against the packages that the built program uses.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from support import program
from support.stages import PIPELINES, PROJECT

pytestmark = pytest.mark.ours

# What CMakeLists.txt asks for, and conda-forge's name of it.
CONDA_NAMES = {
    "TBB": "tbb-devel", "Eigen3": "eigen", "CLI11": "cli11", "fmt": "fmt", "ZLIB": "zlib",
    "HDF5": "hdf5", "LIBDEFLATE": "libdeflate", "LIBLZF": "liblzf", "ISAL": "isa-l",
}
OF_THE_COMPILER = {"PkgConfig", "Threads"}
# In every image of Debian.
ESSENTIAL = {"libc6", "libstdc++6", "libgcc-s1", "zlib1g"}


def asked_for():
    text = (PROJECT / "CMakeLists.txt").read_text()
    found = re.findall(r"(?:find_package|pkg_check_modules|pkg_search_module)\((\w+)", text)
    return set(found) - OF_THE_COMPILER


def project_version():
    return program.run_ok("--version").out.split()[-1]


@pytest.fixture
def recipe():
    """meta.yaml with its expressions put in, as conda-build does, for one platform."""
    text = (PIPELINES / "bioconda" / "meta.yaml").read_text()
    values = dict(re.findall(r'\{% set (\w+) = "([^"]*)" %\}', text))
    text = re.sub(r"\{%.*?%\}", "", text)
    text = re.sub(r"\{\{ (\w+) \}\}", lambda m: values[m[1]], text)
    text = re.sub(r"\{\{ (\w+)\('(\w+)'\) \}\}", r"\1_\2", text)
    text = re.sub(r'\{\{ pin_subpackage\(\w+, max_pin="[x.]+"\) \}\}', "pinned", text)
    assert "{{" not in text and "{%" not in text, "an expression that nobody knows"
    return yaml.safe_load(text)


def test_recipe_has_everything_that_the_build_asks_for(recipe):
    assert asked_for() == set(CONDA_NAMES)
    assert set(recipe["requirements"]["host"]) == set(CONDA_NAMES.values())


def test_recipe_points_at_what_is_there(recipe):
    folder = PIPELINES / "bioconda"
    source = (folder / recipe["source"]["path"]).resolve()
    assert source == PROJECT
    assert (source / recipe["about"]["license_file"]).exists()
    assert recipe["package"] == {"name": "ziggurat", "version": project_version()}
    build = (folder / "build.sh").read_text()
    assert subprocess.run(["bash", "-n", folder / "build.sh"], check=False).returncode == 0
    for option in re.findall(r"-D(ZIGGURAT_\w+)", build):
        assert option in (PROJECT / "CMakeLists.txt").read_text()


def test_recipe_tests_pass(recipe, tmp_path):
    (tmp_path / "ziggurat").symlink_to(Path(program.PROGRAM).resolve())
    for command in recipe["test"]["commands"]:
        done = subprocess.run(command, shell=True, env={"PATH": str(tmp_path)}, capture_output=True,
                              check=False)
        assert done.returncode == 0, command


def test_every_environment_pins_this_version():
    files = [*PIPELINES.rglob("environment.y*ml")]
    assert len(files) == 1 + len(list((PIPELINES / "nextflow" / "modules").iterdir()))
    for file in files:
        (pin,) = yaml.safe_load(file.read_text())["dependencies"]
        assert re.fullmatch(r"(bioconda::)?ziggurat ?=(.*)", pin)[2] == project_version(), file


@pytest.fixture
def stages():
    """[instructions of a stage], each instruction one line."""
    text = (PIPELINES / "container" / "Containerfile").read_text()
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [["FROM " + stage[0], *stage[1:]] for stage in
            (part.strip().splitlines() for part in re.split(r"^FROM ", text, flags=re.MULTILINE)[1:])]


def installed_by(stage):
    (names,) = re.findall(r"--no-install-recommends((?: +[\w.+-]+)+)", "\n".join(stage))
    return set(names.split())


def test_container_builds_with_the_packages_of_every_build(stages):
    common = (PIPELINES / "common.sh").read_text()
    listed = set(re.search(r"build_packages=\((.*?)\)", common, re.DOTALL)[1].split())
    assert installed_by(stages[0]) == listed - {"ccache"}


def test_container_asks_for_packages_that_debian_has(stages):
    known = subprocess.run(["apt-cache", "pkgnames"], text=True, capture_output=True, check=False).stdout.split()
    if "bash" not in known:
        pytest.skip("no lists of Debian's packages here")
    asked_for = set().union(*map(installed_by, stages))
    assert asked_for and asked_for <= set(known), asked_for - set(known)


def test_container_runs_without_root_what_the_first_stage_made(stages):
    last = stages[-1]
    assert last[-3:] == ["USER ziggurat", "WORKDIR /data", 'ENTRYPOINT ["ziggurat"]']
    assert "COPY --from=build /installed/usr/local /usr/local" in last
    first = "\n".join(stages[0])
    assert "-DCMAKE_INSTALL_PREFIX=/usr/local" in first and "DESTDIR=/installed" in first


def test_container_has_the_libraries_of_the_program(stages):
    """The packages that own what the program is linked with, and no other."""
    if shutil.which("dpkg-query") is None:
        pytest.skip("not Debian: nobody knows which package owns a library")
    if program.IS_SANITIZED:
        pytest.skip("a program with sanitizers has libraries of its own")
    linked = subprocess.run(["objdump", "-p", Path(program.PROGRAM).resolve()], text=True,
                            capture_output=True, check=True).stdout
    owners = set()
    for library in re.findall(r"NEEDED\s+(\S+)", linked):
        owned = subprocess.run(["dpkg-query", "-S", f"*-linux-gnu/{library}"], text=True, capture_output=True,
                               check=False).stdout
        owners |= {line.split(":")[0] for line in owned.splitlines()}
    assert owners - ESSENTIAL == installed_by(stages[1])
