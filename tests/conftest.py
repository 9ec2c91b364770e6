"""Shared set-up of the Python suites: where the program is, what is left out, and saying so."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.register_assert_rewrite("support")

from support import program, reference, tally  # noqa: E402  (needs the path above)


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run the tests marked long as well")


def _leave_dump_out(items):
    """Tests that read a result through `dump` wait for a program that has the command."""
    wanting = [item for item in items if item.get_closest_marker("dump") is not None]
    if wanting and not program.has_command("dump"):
        reason = f"{program.PROGRAM} has no command dump"
        for item in wanting:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_modifyitems(config, items):
    _leave_dump_out(items)
    if config.getoption("--long"):
        return
    kept = [item for item in items if item.get_closest_marker("long") is None]
    left_out = [item for item in items if item.get_closest_marker("long") is not None]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def pytest_report_header():
    return [f"program under test: {program.PROGRAM}", f"real maps: {reference.REAL_MAPS}"]


def pytest_terminal_summary(terminalreporter):
    """A missing folder of real maps must not pass for a green oracle suite."""
    if not reference.REAL_MAPS.is_dir():
        terminalreporter.write_line(
            f"WARNING: {reference.REAL_MAPS} is absent: no real map was compared with the "
            "reference (set ZIGGURAT_REAL_MAPS)",
            yellow=True,
        )


@pytest.fixture(autouse=True)
def _work_folder(tmp_path, monkeypatch):
    """Each test runs in its own empty folder, so that stray files of a command are seen."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _tally(record_property):
    yield from tally.record(record_property)
