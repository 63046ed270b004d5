from dataclasses import replace

from paper_study.test_record_file import RECORD
from paper_study.tiny import tiny_data, tiny_plan
from study.progress import Progress
from study.records import Skipped
from study.setting import Setting

FIT = replace(RECORD, setting=Setting.of(C0=0.01, work=200))  # as the plan has them


def test_the_time_left_follows_from_like_fits_and_the_pace():
    plan, data = tiny_plan(nested=(), contour=()), tiny_data()
    slim = plan.methods[3]
    tasks = list(plan.tasks(data, slim))  # four fits
    times = iter([0.0, 5.0, 10.0])
    progress = Progress(tasks, [], lambda: next(times), jobs=2)
    record = replace(FIT, seconds=10.0)
    assert progress.plan() == "4 fits to make"
    # 10 s of work in 5 s: two processes; 3 fits of 10 s are left
    assert progress.done([record]).startswith("1 of 4 fits, about 15 s left; tiny SLIM 1/2 C0 0.01, work 200")
    assert progress.done([replace(record, seconds=20.0)]).startswith("2 of 4 fits, about 11 s left")


def test_before_the_first_fit_the_records_of_another_machine_tell_the_time():
    plan, data = tiny_plan(nested=(), contour=()), tiny_data()
    tasks = [task for method in plan.methods for task in plan.tasks(data, method)]
    stored = [replace(FIT, seconds=20.0), replace(FIT, method="LR", seconds=1.0, setting=Setting.of())]
    times = iter([0.0, 10.0])
    progress = Progress(tasks, [], lambda: next(times), elsewhere=stored, jobs=2)
    slow = 4 * 20.0  # of SLIM; what is not on record there counts as nothing until one like it is made
    assert progress.plan() == f"{progress.left} fits to make, about {(slow + 2 * 1.0) / 2:.0f} s"
    # this machine took 25 s where the other took 20: a little slower, weighed with 5 s of no evidence
    said = progress.done([replace(FIT, seconds=25.0)])
    left = 3 * 25.0 + 2 * 1.0 * (25 + 5) / (20 + 5)
    others = progress.left - 3 - 2
    rate = (25.0 + 5 * 2) / (10 + 5)
    assert f"about {(left + others * 25.0) / rate / 60:.0f} min left" in said


def test_a_fit_that_failed_is_said():
    progress = Progress([], [], lambda: 0.0)
    said = progress.done([Skipped(dataset="tiny", method="LR", split="1/2", reason="no")])
    assert said == "failed: tiny LR no"


def test_earlier_records_tell_what_a_fit_takes():
    plan, data = tiny_plan(nested=(), contour=()), tiny_data()
    tasks = list(plan.tasks(data, plan.methods[3]))
    times = iter([0.0, 1.0])
    progress = Progress(tasks, [replace(FIT, seconds=30.0)] * 3, lambda: next(times))
    # one fit of 1 s at a pace of 1; three left of (3 x 30 + 1) / 4 s
    assert "about 68 s left" in progress.done([replace(FIT, seconds=1.0)])


def test_fits_with_a_fortieth_of_the_work_are_expected_to_take_a_fortieth_of_the_time():
    plan, data = tiny_plan(contour=(), nested_share=1 / 40), tiny_data()
    tasks = list(plan.tasks(data, plan.methods[3]))  # four fits, and eight in folds inside folds
    times = iter([0.0, 40.0, 80.0])
    progress = Progress(tasks, [], lambda: next(times))
    # three left of 40 s and eight of 1 s
    assert "about 2 min left" in progress.done([replace(FIT, seconds=40.0)])
    shorter = replace(FIT, setting=Setting.of(C0=0.01, work=5), seconds=40.0)
    # such a fit is seen to take 40 s as well: ten are left
    assert "about 7 min left" in progress.done([shorter])
    assert progress.left == 10
