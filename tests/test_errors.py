import builtins

import pytest

from rather import errors

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind is not errors.RatherError]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_a_rather_error_and_a_builtin_one(kind):
    assert issubclass(kind, errors.RatherError)
    assert any(vars(builtins).get(base.__name__) is base and base is not Exception for base in kind.__mro__[:-3])


def test_ranges_read_well_when_there_is_only_one_number():
    assert errors.number_range(2, 1200) == "2..1,200"
    assert errors.number_range(2, 2) == "2"


def test_a_missing_extra_names_the_command_that_installs_it():
    assert "pip install 'rather[plots]'" in str(errors.MissingExtraError("plots", "Drawing a figure"))
