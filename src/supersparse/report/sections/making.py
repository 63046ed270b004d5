"""How the card was made: the question it answers, and by which means."""

from supersparse.card.cutoff import Cutoff
from supersparse.decimals import shown
from supersparse.render.facts import facts
from supersparse.render.plain import visible
from supersparse.report.blocks import Block, Paragraph, Section, Table
from supersparse.report.evidence import Evidence
from supersparse.report.plan import Missing
from supersparse.report.words import count
from supersparse.solution.stop import Stop


def making(evidence: Evidence) -> Section:
    """TRIPOD asks for the handling of predictors (10a), the type of model and its building (10b)."""
    made = evidence.card.provenance
    blocks: list[Block] = []
    if made is None:
        blocks.append(Paragraph("The card was written by hand: nothing is recorded of how it was made."))
        if evidence.card.source is not None:
            blocks.append(Paragraph(f"Its source: {visible(evidence.card.source)}"))
    else:
        stop = Stop.__members__.get(made.stop)
        rows = [
            ("type of model", "scoring system: points are added up and compared with a threshold"),
            ("minimised", visible(made.minimised)),
            ("allowed", visible(made.allowed)),
            *_ties(evidence.card.cutoff),
            ("training rows", f"{made.n_rows} (total weight {shown(made.total_weight)})"),
            ("fingerprint", visible(made.data or "not recorded")),
            ("features offered", "not recorded" if made.features is None else f"{len(made.features)}"),
            ("features used", dict(facts(evidence.card))["Size"]),
            ("solver", visible(made.solver)),
            ("seed", _seed(evidence)),
            ("stopped because", visible(made.stop) if stop is None else stop.value),
            ("search", f"{count(made.nodes, 'node')} in {made.seconds:.1f} s"),
            ("software", f"supersparse {visible(made.version)}"),
        ]
        blocks.append(
            Table(
                caption="The question and the search",
                header=("what", "how"),
                rows=tuple(rows),
                text_columns=2,
            )
        )
        if made.features:
            blocks.append(Paragraph(f"Features offered: {', '.join(map(_name, made.features))}."))
    return Section(name="making", title="How it was made", tripod=("10a", "10b"), blocks=tuple(blocks))


def _ties(cutoff: Cutoff) -> list[tuple[str, str]]:
    if not cutoff.tie_is_wrong:
        return []
    return [("zero", "a total equal to the threshold counted as wrong for both classes while learning")]


def _name(name: str) -> str:
    return visible(name) or '""'


def _seed(evidence: Evidence) -> str:
    refit = evidence.refit
    seed = None if isinstance(refit, Missing) else refit.settings.solve.get("seed")
    return "not recorded" if seed is None else str(seed)
