"""Sizes in one look: how well cards of each number of questions do on held-out rows, and how many are enough."""

from supersparse.base.exact import counted
from supersparse.card.card import Card
from supersparse.card.performance import ALL_COLUMNS, Compared
from supersparse.show.document.blocks import TableBlock

_WIDE = 30  # columns of text of the picture


def sizes_of(card: Card) -> tuple[Compared, ...]:
    """The cards of each size that this one was compared with, the smallest first; none of a card without them."""
    compared = next((seen.compared for seen in reversed(card.performance) if seen.compared), ())
    return tuple(one for one in compared if one.questions is not None)


def enough_questions(card: Card) -> str | None:
    """Say how few questions are as good as the most, where fewer are: "3 questions are as good as 6 here."."""
    sizes = sizes_of(card)
    few = next((one for one in sizes if one.worse is False), None)
    if few is None or few.questions is None or few is sizes[-1]:
        return None
    if few.questions == 1:
        return "One question is enough: on held-out data, larger cards are not clearly better."
    return f"{few.questions} questions are as good as {sizes[-1].questions} here: larger cards are not clearly better."


def sizes_table(card: Card) -> TableBlock | None:
    """The held-out AUC and log loss by number of questions, with intervals; None where they are not known."""
    sizes = sizes_of(card)
    if not sizes:
        return None
    compared = next(seen.compared for seen in reversed(card.performance) if seen.compared)
    others = [one for one in compared if one.of == ALL_COLUMNS]
    verdict = enough_questions(card)
    return TableBlock(
        caption="Held out, by number of questions (intervals of 95 %)",
        header=("questions", "AUC", "log loss", "misclassified"),
        rows=tuple(
            (
                one.of if one.questions is None else str(one.questions),
                _within(one.auc, one.auc_interval, 2), _within(one.log_loss, one.log_loss_interval, 3),
                f"{100 * one.error:.1f} %",
            )
            for one in (*sizes, *others)
        ),
        notes=() if verdict is None else (verdict,),
    )  # fmt: skip


def _within(value: float | None, interval: tuple[float, float] | None, digits: int) -> str:
    if value is None:
        return "-"
    ends = "" if interval is None else f" ({interval[0]:.{digits}f}\u2013{min(interval[1], 9.0):.{digits}f})"
    return f"{value:.{digits}f}{ends}"


def sizes_text(card: Card) -> str | None:
    """The same for a terminal: a line a size, with its AUC drawn from the lowest to the highest end seen."""
    sizes = [one for one in sizes_of(card) if one.auc is not None and one.auc_interval is not None]
    if len(sizes) < 2:
        return None
    ends = [end for one in sizes for end in one.auc_interval or ()]
    low, high = max(0.0, min(ends)), min(1.0, max(ends))
    unit = (high - low) / (_WIDE - 1) or 1.0

    def place(value: float) -> int:
        return min(_WIDE - 1, max(0, round((value - low) / unit)))

    left, right = f"{low:.2f}", f"{high:.2f}"
    axis = left + right.rjust(_WIDE - len(left))
    lines = ["On held-out rows, by number of questions (intervals of 95 %):", "", f"{'':36}{axis}   log loss"]
    for one in sizes:
        assert one.auc is not None
        assert one.auc_interval is not None
        drawn = [" "] * _WIDE
        start, end = map(place, one.auc_interval)
        drawn[start : end + 1] = "-" * (end + 1 - start)
        drawn[place(one.auc)] = "o"
        name = counted(one.questions or 0, "question")
        lines.append(
            f"{name:>12}  AUC {_within(one.auc, one.auc_interval, 2):<18}{''.join(drawn)}   {one.log_loss:.3f}"
        )
    verdict = enough_questions(card)
    return "\n".join([*lines, *([] if verdict is None else ["", verdict])])
