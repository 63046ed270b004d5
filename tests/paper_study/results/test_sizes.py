from paper_study.results.made import fits
from study.results.sizes import far_sizes
from study.results.study import Study
from study.setting import Setting

WEAK, STRONG = Setting.of(pruning=0.0), Setting.of(pruning=0.1)


def test_a_size_far_from_the_papers_stands_beside_the_setting_that_comes_nearest():
    # the paper's CART on spambase: 7 leaves; sizes here are made with one term more
    lines = [*fits("spambase", "CART", [8, 8], [36, 36], WEAK), *fits("spambase", "CART", [12, 12], [7, 7], STRONG)]
    (far,) = far_sizes(Study(lines))
    assert (far.ours.setting, far.paper.size, far.nearest.setting) == (WEAK, 7, STRONG)
    assert "rpart's default tree" in far.reason
    default = fits("spambase", "CART cp", [11, 11], [8, 8], Setting.of(cp=0.01))
    (far,) = far_sizes(Study([*lines, *default]))
    assert far.nearest.method == "CART cp"


def test_a_size_that_no_setting_comes_nearer_to_is_said_to_be_so():
    (far,) = far_sizes(Study(fits("internet-ads", "C50T", [3, 3], [29, 29], Setting.of(confidence=0.5))))
    assert far.reason == "no setting we tried comes closer"


def test_sizes_near_the_papers_are_not_listed():
    assert far_sizes(Study(fits("spambase", "CART", [8, 8], [8, 8], WEAK))) == []
    assert far_sizes(Study(fits("spambase", "SLIM", [8, 8], [57, 57], Setting.of(C0=0.01, work=9)))) == []
