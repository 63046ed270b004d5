"""Cut points as they are written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.errors import InvalidOptionError
from supersparse.learn.prepare.settings import read_cut_points

NAMES = st.text("abc_ =:[]é", min_size=1, max_size=8).map(str.strip).filter(lambda n: n and n[-1] not in "=:")
POINTS = st.dictionaries(
    NAMES, st.lists(st.integers(-99, 99) | st.floats(-9, 9).map(lambda v: round(v, 3)), min_size=1)
)


@given(POINTS.filter(bool))
def test_text_lines_and_json_say_the_same(tmp_path_factory, points):
    expected = {name: [float(number) for number in numbers] for name, numbers in points.items()}
    entries = [f"{name}={','.join(map(str, numbers))}" for name, numbers in points.items()]
    assert read_cut_points(";".join(entries)) == expected
    path = tmp_path_factory.mktemp("cuts") / "cuts.txt"
    for content in ("\r\n".join(["# clinical", *entries, ""]), json.dumps(points)):
        path.write_text(content, encoding="utf-8")
        assert read_cut_points(str(path)) == expected


@pytest.mark.parametrize("given", ["age", "age=", "age=old", "=3", "age=1;x", '{"age": 3}', '{"age": ["x"]}', "", ";"])
def test_anything_else_is_named(given):
    with pytest.raises(InvalidOptionError, match=r"cut[ -]points"):
        read_cut_points(given)
