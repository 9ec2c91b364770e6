"""The input is never opened for writing, and nothing outside the folders named is looked for."""

import os
import shutil

import pytest

from support.jobs import BALANCED, COARSEN, SOURCE, ZOOMIFY, Scene
from support.system_calls import NAMES, WRITES, supervised

pytestmark = pytest.mark.ours


@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN], ids=str)
def test_no_descriptor_could_write_to_it(job, tmp_path):
    scene = Scene(job, tmp_path)
    before = os.stat(SOURCE).st_mtime_ns
    calls = (*WRITES, *NAMES, "openat")
    done = supervised(*job.command(2), calls=calls, folder=tmp_path, env=job.env)
    assert done.result.code == 0
    own = [call for call in done.calls if os.path.basename(call.path) == SOURCE]
    assert own, "the input was not opened?"
    for call in own:
        assert call.name == "openat", f"{call.name} of the input"
        assert call.args[2] & (os.O_WRONLY | os.O_RDWR | os.O_TRUNC) == 0, "opened for writing"
    assert os.stat(SOURCE).st_mtime_ns == before
    assert scene.now(SOURCE) == scene.source


def test_no_library_is_looked_for_in_the_folder_of_the_run(tmp_path):
    """An empty one among the folders for libraries means the current one: anybody's."""
    Scene(ZOOMIFY, tmp_path)
    done = supervised(*ZOOMIFY.command(2), calls=("openat",), folder=tmp_path, env=ZOOMIFY.env)
    assert done.result.code == 0
    assert not [call.path for call in done.calls if ".so" in os.path.basename(call.path)]


def test_a_read_only_input_folder(tmp_path):
    scene = Scene(ZOOMIFY, tmp_path)
    shutil.move(SOURCE, "kept.cool")
    os.chmod("kept.cool", 0o444)
    args = [a.replace(SOURCE, "kept.cool") for a in ZOOMIFY.command()]
    done = supervised(*args, calls=("openat",), folder=tmp_path, env=ZOOMIFY.env)
    assert done.result.code == 0
    assert scene.is_complete()
