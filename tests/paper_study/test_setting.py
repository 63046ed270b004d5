import math

import pytest

from study.methods.penalised import ElasticNet, Lasso, Ridge
from study.setting import Setting
from study.study_data import load_study_data


def test_floats_are_told_apart_by_seven_digits():
    assert Setting.of(a=0.1234567) != Setting.of(a=0.1234568)
    assert Setting.of(a=0.1 + 0.2) == Setting.of(a=0.3)
    assert hash(Setting.of(a=0.1 + 0.2)) == hash(Setting.of(a=0.3))
    assert Setting.of(a=0.1 + 0.2).number("a") == 0.1 + 0.2  # what is fitted is not rounded
    assert Setting.of(a=12345678) != Setting.of(a=12345679)  # whole numbers are as they are
    assert Setting.of(a=1.0) != Setting.of(b=1.0)


@pytest.mark.parametrize("name", ["breast-cancer", "haberman", "spambase", "tic-tac-toe"])
@pytest.mark.parametrize("method", [Lasso(), Ridge(), ElasticNet()], ids=lambda method: method.name)
def test_no_penalty_of_the_study_is_so_near_a_rounding_that_processors_could_disagree(method, name):
    settings = method.settings(load_study_data(name))
    assert len(set(settings)) == len(settings)
    for setting in settings:
        value = setting.number("penalty")
        for other in (value * (1 - 1e-11), value * (1 + 1e-11), math.nextafter(value, 1)):
            assert Setting.of(penalty=other) == setting
