import subprocess
import sys

import pytest

import rather


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_rather_does_not_import_torch_or_numpy():
    assert run("import sys, rather; print({'torch', 'numpy', 'pyarrow'} & set(sys.modules))") == "set()\n"


@pytest.mark.parametrize("name", rather.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(rather, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        rather.Sesion  # noqa: B018


def test_dir_lists_the_public_names():
    assert dir(rather) == sorted(rather.__all__)
