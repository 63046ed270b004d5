"""Performance of a tally: what a card keeps of an evaluation."""

from supersparse.card.evaluate.outcomes import Tally
from supersparse.card.evaluate.rates import auc_of
from supersparse.card.evaluate.thresholds import confusion_at
from supersparse.card.performance import Judged, Performance

LEVEL = 0.95  # of the interval of the AUC


def performance_of(tally: Tally, on: Judged) -> Performance:
    """Count right and wrong at the threshold of the tally."""
    counts, auc = confusion_at(tally, tally.cutoff, LEVEL), auc_of(tally, LEVEL)
    return Performance(
        on=on,
        true_positives=counts.true_positives,
        false_negatives=counts.false_negatives,
        true_negatives=counts.true_negatives,
        false_positives=counts.false_positives,
        auc=auc.value,
        auc_interval=auc.interval,
    )
