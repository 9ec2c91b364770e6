"""Programs outside the tree that use the installed C++ library: the one shown in docs/cpp.md."""

import re
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from support import program

pytestmark = pytest.mark.ours

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(program.PROGRAM).resolve().parents[1]
DEMO = ROOT / "testdata" / "demo.cool"
RESOLUTIONS = [10000, 20000, 50000]

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
find_package(ziggurat 1 REQUIRED {components})
add_executable(outside outside.cpp)
target_link_libraries(outside PRIVATE {target})
"""


def _run(*command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=300, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installation far from the build tree, made once."""
    folder = tmp_path_factory.mktemp("installed")
    _run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture
def source(tmp_path):
    page = (ROOT / "docs" / "cpp.md").read_text()
    code = re.search(r"^```cpp\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    path = tmp_path / "outside" / "outside.cpp"
    path.parent.mkdir()
    path.write_text(code)
    return path


def _library_folder(prefix):
    return next(prefix.glob("lib/**/pkgconfig")).parent


def _expected_lines():
    """resolution, pixels and sum of each level, from the demo map and numpy alone."""
    with h5py.File(DEMO) as file:
        starts = file["bins/start"][:]
        chroms = file["bins/chrom"][:]
        rows, columns = file["pixels/bin1_id"][:], file["pixels/bin2_id"][:]
        total = int(file["pixels/count"][:].sum())
    for resolution in RESOLUTIONS:
        coarse = np.unique(np.stack([chroms, starts // resolution]), axis=1, return_inverse=True)
        of_bin = coarse[1].ravel()
        pairs = np.unique(np.stack([of_bin[rows], of_bin[columns]]), axis=1).shape[1]
        yield f"{resolution} {pairs} {total}"


def _check(executable, tmp_path, **environment):
    out = tmp_path / "demo.mcool"
    printed = _run(executable, DEMO, out, env=environment).splitlines()
    assert [" ".join(line.split()[:3]) for line in printed] == list(_expected_lines())
    with h5py.File(out) as file:
        assert sorted(map(int, file["resolutions"])) == RESOLUTIONS
        for group in file["resolutions"].values():
            assert np.isfinite(group["bins/weight"][:]).any()
            assert group["bins/weight"].attrs["converged"]


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_found_by_cmake(kind, prefix, source, tmp_path):
    static = kind == "static"
    (source.parent / "CMakeLists.txt").write_text(
        CMAKE.format(
            components="COMPONENTS static" if static else "",
            target="ziggurat::static" if static else "ziggurat::ziggurat",
        )
    )
    build = tmp_path / "build"
    _run("cmake", "-S", source.parent, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    _run("cmake", "--build", build)
    environment = {"ZIGGURAT_READER": str(prefix / "bin" / "ziggurat")} if static else {}
    _check(build / "outside", tmp_path, **environment)


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_found_by_pkg_config(kind, prefix, source, tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    library = _library_folder(prefix)
    static = kind == "static"
    relocated = [f"--define-variable=prefix={prefix}", f"--define-variable=libdir={library}",
                 f"--define-variable=includedir={prefix}/include"]
    words = _run("pkg-config", *relocated, *(["--static"] if static else []), "--cflags", "--libs",
                 library / "pkgconfig" / "ziggurat.pc").split()
    if static:
        words = [str(library / "libziggurat.a") if w == "-lziggurat" else w for w in words]
    else:
        words.append(f"-Wl,-rpath,{library}")
    executable = tmp_path / "outside.exe"
    _run("g++", "-std=c++20", source, "-o", executable, *words)
    _check(executable, tmp_path, **(
        {"ZIGGURAT_READER": str(prefix / "bin" / "ziggurat")} if static else {}))


def test_headers_stand_alone(prefix, tmp_path):
    headers = sorted((prefix / "include" / "ziggurat").glob("*.hpp"))
    assert len(headers) > 5
    for header in headers:
        unit = tmp_path / "unit.cpp"
        unit.write_text(f"#include <ziggurat/{header.name}>\n")
        _run("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", f"-I{prefix}/include", unit)


def test_only_the_public_interface_is_exported(prefix):
    library = _library_folder(prefix) / "libziggurat.so"
    assert library.resolve().name.count(".") > 1, "no version in the library's name"
    symbols = _run("nm", "-D", "-C", "--defined-only", library).splitlines()
    names = [line.split(" ", 2)[2] for line in symbols]
    ours = [name for name in names if "ziggurat::" in name]
    assert any(name.startswith("ziggurat::zoomify(") for name in ours)
    inner = re.compile(
        r"^(?:\w+ for )?ziggurat::(base|genome|codec|pixels|coarsen|h5|cool|wire|proc|reader|engine)::"
    )
    assert [name for name in ours if inner.search(name)] == []
    assert [name for name in names if name.startswith(("H5", "libdeflate"))] == []


def test_a_library_without_its_reader_says_so(prefix, source, tmp_path):
    alone = tmp_path / "alone"
    shutil.copytree(prefix, alone, symlinks=True)
    (alone / "bin" / "ziggurat").unlink()
    library = _library_folder(alone)
    executable = tmp_path / "outside.exe"
    _run("g++", "-std=c++20", source, "-o", executable, f"-I{alone}/include", f"-L{library}",
         "-lziggurat", f"-Wl,-rpath,{library}")
    done = subprocess.run([executable, DEMO, tmp_path / "x.mcool"], capture_output=True, text=True,
                          timeout=60, env={})
    assert done.returncode == 1
    assert "cannot find the program that reads maps" in done.stderr
    assert not (tmp_path / "x.mcool").exists()


def test_a_reader_of_another_version_is_refused(prefix, source, tmp_path):
    """A stand-in passes everything on to the right program but claims another version."""
    shim = tmp_path / "shim"
    real = prefix / "bin" / "ziggurat"
    shim.write_text(f'#!/bin/bash\nshift 2\nexec {real} --ziggurat-reader 0.0.1 "$@"\n')
    shim.chmod(0o755)
    library = _library_folder(prefix)
    executable = tmp_path / "outside.exe"
    _run("g++", "-std=c++20", source, "-o", executable, f"-I{prefix}/include", f"-L{library}",
         "-lziggurat", f"-Wl,-rpath,{library}")
    done = subprocess.run([executable, DEMO, tmp_path / "x.mcool"], capture_output=True, text=True,
                          timeout=60, env={"ZIGGURAT_READER": str(shim)})
    assert done.returncode == 1
    assert "0.0.1" in done.stderr and done.stderr.count("\n") == 1
