"""Completions and manual pages, which are made from the same definitions as the options."""

import re
import shutil
import subprocess

import pytest

from support import program

pytestmark = pytest.mark.ours

COMMANDS = ["zoomify", "coarsen", "balance", "assemble", "verify", "ls", "info"]


def _long_options(command):
    shown = program.run(command, "--help").out
    return set(re.findall(r"^  (?:-\w,)*(?:-\w,)?(--[a-z][a-z-]*)", shown, re.MULTILINE))


def _complete(words):
    """What bash offers for a command line whose last word is being typed."""
    script = program.run("completions", "bash").out
    array = " ".join(f"'{word}'" for word in words)
    asked = (
        f"{script}\nCOMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _ziggurat;"
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_bash_offers_the_commands():
    assert set(COMMANDS) <= _complete(["ziggurat", ""])
    assert _complete(["ziggurat", "zoo"]) == {"zoomify"}


@pytest.mark.parametrize("command", COMMANDS)
def test_bash_offers_the_options_in_the_help(command):
    options = _long_options(command)
    assert "--quiet" in options
    assert options <= _complete(["ziggurat", command, "--"])


def test_bash_offers_the_words_an_option_takes():
    assert _complete(["ziggurat", "zoomify", "--duplicates", ""]) == {"refuse", "sum"}
    assert _complete(["ziggurat", "balance", "--method", "vc"]) == {"vc", "vc_sqrt"}


def test_bash_offers_files(tmp_path):
    (tmp_path / "map.cool").touch()
    assert _complete(["ziggurat", "zoomify", "-o", "ma"]) == {"map.cool"}
    assert _complete(["ziggurat", "zoomify", "ma"]) == {"map.cool"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_script(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(program.run("completions", shell).out)
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for command in COMMANDS:
        assert command in script.read_text()


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_manual_pages_are_sound_roff(command):
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    page = program.run("manual", *([command] if command else [])).out
    checked = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "error"], input=page, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout) == (0, "")
    shown = subprocess.run(
        ["mandoc", "-T", "ascii"], input=page, capture_output=True, text=True, check=True
    ).stdout
    shown = re.sub(".\b", "", shown)
    assert "EXIT STATUS" in shown
    for option in _long_options(command) if command else COMMANDS:
        assert option in shown


def test_an_unknown_command_has_no_page():
    done = program.run("manual", "dance")
    assert done.code == 1 and "dance" in done.err
