"""The checkers of the tree must themselves be able to fail: each is shown a tree with one fault."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent

LAYERS = """\
ziggurat_layer(base LIBS fmt::fmt)
ziggurat_layer(h5 USES base LIBS PkgConfig::HDF5)
ziggurat_layer(engine USES base h5 LIBS TBB::tbb)
"""


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, TESTS / script, *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run_layers(root, files):
    write(root, {"src/CMakeLists.txt": LAYERS, **files})
    return run("layers.py", root)


def test_layers_accepts_a_lawful_tree(tmp_path):
    code, output = run_layers(
        tmp_path,
        {
            "include/ziggurat/error.hpp": "#include <string>\n",
            "include/ziggurat/plan.hpp": '#include "ziggurat/error.hpp"\n',
            "src/base/check.hpp": '#include <fmt/format.h>\n#include "ziggurat/error.hpp"\n',
            "src/h5/file.cpp": '#include <hdf5.h>\n#include "h5/file.hpp"\n#include "base/check.hpp"\n',
            "src/engine/run.cpp": '#include <tbb/task.h>\n#include "h5/file.hpp"\n// fork() is not used\n',
            "src/main.cpp": '#include "base/check.hpp"\n',
            "src/python/map.cpp": '#include <nanobind/nanobind.h>\n#include "ziggurat/plan.hpp"\n',
            "tests/unit/h5/file_test.cpp": '#include "h5/file.hpp"\n#include "fakes.hpp"\n',
            "tests/unit/h5/fakes.hpp": "#include <hdf5.h>\n",
        },
    )
    assert code == 0, output
    assert "3 layers, 0 breaches" in output


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("src/base/a.hpp", '#include "h5/file.hpp"\n', "base may not include h5"),
        ("src/base/a.hpp", "#include <hdf5.h>\n", "<hdf5.h> belongs to h5 only"),
        ("src/h5/a.cpp", "#include <tbb/task.h>\n", "belongs to balance and engine only"),
        ("src/engine/a.cpp", "#include <Eigen/Dense>\n", "belongs to balance only"),
        ("src/engine/a.cpp", "#include <sys/wait.h>\n", "belongs to proc only"),
        ("src/engine/a.cpp", "int f() { return ::fork(); }\n", "fork() belongs to proc only"),
        ("src/engine/a.cpp", "void f() { H5Gclose(1); }\n", "H5Gclose() belongs to h5 only"),
        ("src/h5/a.cpp", '#include "file.hpp"\n', "is not written from src/"),
        ("src/h5/a.cpp", '#include "../base/check.hpp"\n', "is not written from src/"),
        ("src/extra/a.cpp", "int x;\n", "layer extra is not in src/CMakeLists.txt"),
        ("src/python/a.cpp", '#include "base/check.hpp"\n', "python may not include base"),
        ("src/engine/a.cpp", "#include <nanobind/nanobind.h>\n", "belongs to python only"),
        ("src/main.cpp", '#include "engine/run.hpp"\n', "main may not include engine"),
        ("include/ziggurat/a.hpp", '#include "base/check.hpp"\n', "public headers may not include"),
        ("include/ziggurat/a.hpp", "#include <hdf5.h>\n", "public headers may not include hdf5.h"),
        ("tests/unit/base/a_test.cpp", '#include "h5/file.hpp"\n', "base may not include h5"),
        ("tests/unit/base/a_test.cpp", '#include "absent.hpp"\n', "is not written from src/"),
        ("src/base/a.hpp", "\n" * 301, "301 lines, 300 at most"),
    ],
)
def test_layers_names_each_breach(tmp_path, name, text, fault):
    code, output = run_layers(tmp_path, {name: text})
    assert code == 1
    assert f"{name}:" in output and fault in output
    assert "1 breaches" in output


def test_layers_refuses_a_table_with_a_cycle(tmp_path):
    write(tmp_path, {"src/CMakeLists.txt": "ziggurat_layer(base USES h5)\nziggurat_layer(h5)\n"})
    code, output = run("layers.py", tmp_path)
    assert code == 1
    assert "layer base uses h5, which is not named before it" in output


def test_layers_reports_a_long_file_without_failing(tmp_path):
    code, output = run_layers(tmp_path, {"src/base/a.hpp": "\n" * 201})
    assert code == 0
    assert "src/base/a.hpp has 201 lines" in output


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("see /ho" "me/ann/map.cool", "path of one machine"),
        ("// TO" "DO: later", "unfinished work"),
    ],
)
def test_words_finds_what_must_not_be_published(tmp_path, text, fault):
    write(tmp_path, {"docs/good.md": "tests/work/fine and http://a/home/x\n", "src/a.cpp": text})
    code, output = run("words.py", tmp_path)
    assert code == 1
    assert f"src/a.cpp:1: {fault}" in output
    assert "2 files, 1 finds" in output


def run_page(tmp_path, text):
    write(tmp_path, {"page.md": text, "bin/ziggurat": "#!/bin/sh\necho ziggurat, version 1.0.0\n"})
    (tmp_path / "bin/ziggurat").chmod(0o755)
    return run("docs_commands.py", "--binary", tmp_path / "bin/ziggurat", tmp_path / "page.md")


def test_docs_commands_runs_them_in_one_folder(tmp_path):
    code, output = run_page(
        tmp_path,
        "```console\n$ ziggurat --version \\\n>   > version.txt\n```\n"
        "```sh\nthis is not run\n```\n"
        "```sh\n$ cat version.txt\nziggurat, version ...\n$ ls testdata/demo.cool\n```\n",
    )
    assert code == 0, output
    assert "3 commands run" in output


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("$ false", "exit code 1"),
        ("$ printf 'a\\nb\\n'\nb\na", "did not print: a"),
        ("not a command", "0 commands run"),
    ],
)
def test_docs_commands_fails_on_a_wrong_page(tmp_path, command, fault):
    code, output = run_page(tmp_path, f"```sh\n{command}\n```\n")
    assert code == 1
    assert fault in output


def summary_of(tmp_path, cases):
    write(tmp_path, {"report.xml": f"<testsuites><testsuite>{cases}</testsuite></testsuites>"})
    return run("summary.py", tmp_path / "report.xml")


def test_summary_counts_and_names(tmp_path):
    code, output = summary_of(
        tmp_path,
        '<testcase name="a"/><testcase name="b"><skipped message="no maps"/></testcase>'
        '<testcase classname="c" name="d"><failure message="1 != 2"/></testcase>',
    )
    assert code == 1
    assert "SKIPPED b: no maps" in output and "FAILED c::d: 1 != 2" in output
    assert output.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"


def test_summary_passes_only_when_something_passed(tmp_path):
    assert summary_of(tmp_path, '<testcase name="a"/>') == (
        0,
        "report: 1 passed\n1 passed, 0 failed\n",
    )
    code, output = summary_of(tmp_path, "")
    assert code == 1 and "no test was run" in output
    code, output = run("summary.py", tmp_path / "absent.xml")
    assert code == 1 and output.splitlines()[-1] == "0 passed, 1 failed"
