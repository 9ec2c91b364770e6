"""The installed package, in this process and as an interpreter of its own."""

import importlib
import sys

import pytest

from support import program, wheel


@pytest.fixture(scope="session")
def environment():
    if program.IS_SANITIZED:
        pytest.skip("a library under sanitizers cannot be loaded by an interpreter without them")
    return wheel.environment()


@pytest.fixture(scope="session")
def python(environment):
    """The interpreter that has the package installed."""
    return environment / "bin" / "python"


@pytest.fixture(scope="session")
def ziggurat(environment):
    packages = next(environment.glob("lib/python*/site-packages"))
    sys.path.append(str(packages))  # behind the others, and for processes that are spawned
    module = importlib.import_module("ziggurat")
    assert module.__file__.startswith(str(packages)), "another ziggurat is in the way"
    return module


@pytest.fixture(scope="session")
def compat(ziggurat):
    return importlib.import_module("ziggurat.compat")
