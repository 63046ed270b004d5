from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from study.page.labels import Point, place_names

LETTER, HEIGHT, GAP = 0.02, 0.05, 0.02
SIDE = st.floats(0, 1)
POINTS = st.lists(st.builds(Point, st.text("abc", min_size=1, max_size=10), SIDE, SIDE), max_size=30)


@given(POINTS)
def test_no_name_lies_on_another_or_on_a_point(points):
    labels = place_names(points, LETTER, HEIGHT, GAP)
    assert len(labels) == len(points)
    for one, other in combinations(labels, 2):
        across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
        assert across <= 0 or abs(one.y - other.y) >= 0.99 * HEIGHT
    for label in labels:
        for point in points:
            inside = label.x <= point.x <= label.x + label.width
            assert not (inside and abs(label.y - point.y) < HEIGHT / 2)


@given(SIDE, SIDE)
def test_a_point_alone_has_its_name_at_its_side(x, y):
    (label,) = place_names([Point("SLIM", x, y)], LETTER, HEIGHT, GAP)
    end = label.x if label.x > x else label.x + label.width
    assert abs(end - x) < GAP * 1.001
    assert abs(label.y - y) < HEIGHT
    assert 0 <= label.x <= 1 - label.width


def test_names_stay_in_the_panel_while_there_is_room():
    points = [Point("logistic", 0.5, 0.5)] * 20
    assert all(0 < label.y < 1 for label in place_names(points, LETTER, HEIGHT, GAP))
    crowd = [Point("logistic", 0.5, 0.5)] * 60
    assert any(label.y >= 1 for label in place_names(crowd, LETTER, HEIGHT, GAP))
