"""A card as plain data for JSON, in the present version of the format."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

from supersparse.base.errors import InvalidCardError
from supersparse.base.exact import shown
from supersparse.base.writing import write_file
from supersparse.card.card import Card, Cutoff, Item
from supersparse.card.fields import Fields, no_repeats
from supersparse.card.performance import Performance
from supersparse.card.provenance import ItemSeen, Provenance
from supersparse.card.reading import read_card
from supersparse.card.risk import LogisticRisk, Risk
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf
from supersparse.card.words import Wording
from supersparse.table.values import Category


def card_content(card: Card) -> dict[str, object]:
    """Everything but the name and version of the format."""
    content: dict[str, object] = {
        "title": card.title,
        "source": card.source,
        "classes": {"negative": card.negative, "positive": card.positive},
        "items": [item_content(item) for item in card.items],
        "threshold": _threshold(card.cutoff),
        "domains": [_domain(domain) for domain in card.domains],
        "n_columns": card.n_columns,
        "provenance": None if card.provenance is None else _provenance(card.provenance),
    }
    if card.provenance is not None or card.intercept != -card.threshold:
        content["intercept"] = _number(card.intercept)
    if card.risk is not None:
        content["risk"] = _risk(card.risk)
    if card.seen is not None:
        content["seen"] = [_seen(item) for item in card.seen]
    if card.learned is not None:
        content["learned"] = {
            "items": [item_content(item) for item in card.learned.items],
            "intercept": _number(card.learned.intercept),
        }
    if card.performance:
        content["performance"] = [_performance(seen) for seen in card.performance]
    if card.wording != Wording():
        content["wording"] = _wording(card.wording)
    if card.reading is not None:
        content["reading"] = card.reading.as_data()
    return content


def _number(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else shown(value)


def _threshold(cutoff: Cutoff) -> object:
    return _number(cutoff.threshold) if cutoff.reached else {"above": _number(cutoff.threshold)}


def _category(value: Category) -> object:
    if isinstance(value, str | bool):
        return value
    return value.numerator if value.denominator == 1 else {"number": shown(value)}


def item_content(item: Item) -> dict[str, object]:
    """One item as plain data."""
    content: dict[str, object] = {"rule": item.rule.kind, "column": item.column}
    if isinstance(item.rule, IsOneOf | IsNoneOf):
        content["values"] = [_category(v) for v in item.rule.values]
    if isinstance(item.rule, InRange):
        if item.rule.low is not None:
            content["at_least" if item.rule.low_included else "above"] = _number(item.rule.low)
        if item.rule.high is not None:
            content["at_most" if item.rule.high_included else "below"] = _number(item.rule.high)
    content["points"] = _number(item.points)
    if not isinstance(item.rule, IsMissing):
        content["missing"] = "refuse" if item.missing is None else _number(item.missing)
    optional = {"unit": item.unit, "question": item.question, "position": item.position}
    return content | {name: value for name, value in optional.items() if value is not None}


def _domain(domain: Domain) -> dict[str, object]:
    content: dict[str, object] = {"column": domain.column}
    if domain.values is not None:
        content["values"] = [_category(v) for v in domain.values]
    else:
        content["low"] = None if domain.low is None else _number(domain.low)
        content["high"] = None if domain.high is None else _number(domain.high)
        content["whole"] = domain.whole
    return content | {"outside": domain.outside}


def _risk(risk: Risk) -> dict[str, object]:
    if isinstance(risk, LogisticRisk):
        content: dict[str, object] = {"kind": risk.kind, "slope": risk.slope, "offset": risk.offset}
        if risk.seen is not None:
            seen = zip(risk.seen.totals, risk.seen.cases, risk.seen.events, strict=True)
            content["rows"] = [{"total": _number(t), "cases": _number(c), "events": _number(e)} for t, c, e in seen]
        return content
    rows: list[dict[str, object]] = [
        {"total": _number(t), "risk": r} for t, r in zip(risk.totals, risk.risks, strict=True)
    ]
    for row, cases in zip(rows, risk.cases or (), strict=False):
        row["cases"] = _number(cases)
    return {"kind": risk.kind, "rows": rows}


def _performance(seen: Performance) -> dict[str, object]:
    counts = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    content: dict[str, object] = {"on": seen.on}
    content |= {name: _number(getattr(seen, name)) for name in counts}
    if seen.auc is not None:
        content["auc"] = seen.auc
    if seen.auc_interval is not None:
        content["auc_low"], content["auc_high"] = seen.auc_interval
    if seen.log_loss is not None:
        content["log_loss"], content["baseline_log_loss"] = seen.log_loss, seen.baseline_log_loss
    if seen.folds is not None:
        content["folds"], content["folds_planned"] = seen.folds
    return content


def _wording(wording: Wording) -> dict[str, object]:
    content: dict[str, object] = {}
    classes = {"negative": wording.negative, "positive": wording.positive}
    if any(classes.values()):
        content["classes"] = {name: text for name, text in classes.items() if text is not None}
    content["columns"] = [
        {
            "column": words.column,
            **{n: t for n in ("label", "unit", "question") if (t := getattr(words, n)) is not None},
            **(
                {"answers": [{"value": _category(v), "text": t} for v, t in words.answers.items()]}
                if words.answers
                else {}
            ),
        }
        for words in wording.columns
    ]
    return content


def _seen(seen: ItemSeen) -> dict[str, object]:
    rows, at = ("ranges", "up_to") if seen.in_ranges else ("values", "points")
    return {
        rows: [{at: _number(p), "weight": _number(w)} for p, w in zip(seen.points, seen.weights, strict=True)],
        "given": _number(seen.given),
        "missing": _number(seen.missing),
        "mean_points": _number(seen.mean_points),
    }


def _provenance(made: Provenance) -> dict[str, object]:
    content: dict[str, object] = {
        "version": made.version,
        "solver": made.solver,
        "data": made.data,
        "minimised": made.minimised,
        "allowed": made.allowed,
        "objective": _number(made.objective),
        "lower_bound": _number(made.lower_bound),
        "gap": float(made.gap),
        "proven_optimal": made.proven_optimal,
        "proven_smallest": made.proven_smallest,
        "training_errors": _number(made.training_errors),
        "predicted_errors": _number(made.predicted_errors),
        "sensitivity": None if made.sensitivity is None else _number(made.sensitivity),
        "specificity": None if made.specificity is None else _number(made.specificity),
        "total_weight": _number(made.total_weight),
        "n_rows": made.n_rows,
        "size": made.size,
        "stop": made.stop,
        "seconds": float(made.seconds),
        "nodes": made.nodes,
    }
    if made.features is not None:
        content["features"] = list(made.features)
    if made.n_candidates is not None:
        content["n_candidates"] = made.n_candidates
    if made.settings is not None:
        content["settings"] = dict(made.settings)
    if made.certificate is not None:
        checked_by = list(made.certificate.checked_by)
        content["certificate"] = {
            "file": made.certificate.file,
            "sha256": made.certificate.sha256,
            **({"checked_by": checked_by} if checked_by else {}),
        }
    if made.edits:
        content["edits"] = [
            {"change": one.change, "reason": one.reason, **({} if one.at is None else {"at": one.at})}
            for one in made.edits
        ]
    if made.suppressed is not None:
        content["suppressed"] = {"left_out_at_most": made.suppressed.left_out, "merged_at_most": made.suppressed.merged}
    return content


FORMAT = "supersparse-card"
VERSION = 3
READABLE = (1, 2, 3)


def to_json(card: Card) -> str:
    """Write a card as JSON text, plain ASCII, with a digest of the content.

    A card that came without one, though it claims a proof, gets none: somebody may have changed it.
    """
    content: dict[str, object] = {"format": FORMAT, "version": VERSION, **card_content(card)}
    if card.provenance is None or card.provenance.signed:
        content["digest"] = digest_of(content)
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def digest_of(content: Mapping[str, object]) -> str:
    """Return the digest of a card's content: of its JSON in one line, keys sorted, without the digest.

    It tells accidents, not forgers: whoever changes a card on purpose can make it anew.
    """
    rest = {name: value for name, value in content.items() if name != "digest"}
    line = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(line.encode('ascii')).hexdigest()}"


def _matches(digest: object, content: Mapping[str, object]) -> bool:
    try:
        return digest == digest_of(content)
    except RecursionError:  # lists in lists in lists: no card
        return False


def from_json(text: str, *, source: str = "the text") -> Card:
    """Read a card; `source` names it in the message when it cannot be."""
    try:
        content = json.loads(text, object_pairs_hook=no_repeats, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidCardError(f"{source} is not a scoring system: it is not valid JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidCardError(f'{source} is not a scoring system: it lacks "format": "{FORMAT}"')
    version = content.get("version")
    if type(version) is not int or version not in READABLE:
        raise InvalidCardError(
            f"{source} has version {version!r} of the card format",
            f"this release reads versions 1 to {VERSION}, a newer release of supersparse may read it",
        )
    is_signed = "digest" in content
    if is_signed and not _matches(content.pop("digest"), content):
        raise InvalidCardError(
            f"{source} is damaged: its content is not what its digest was made of",
            "take an intact copy, or remove the digest to read it as an unsigned card",
        )
    try:
        card = read_card(Fields(content, "the card"), version)
        if is_signed or card.provenance is None:
            return card
        return replace(card, provenance=replace(card.provenance, signed=False))
    except InvalidCardError as error:
        raise InvalidCardError.of(error, f"{source} is damaged: ") from None


def save(card: Card, path: str | Path) -> None:
    """Write a card to a file."""
    write_file(path, to_json(card))


def load(path: str | Path) -> Card:
    """Read a card from a file."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidCardError(f"{path} is not a scoring system: it is not text") from None
    return from_json(text, source=str(path))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it holds {name}")


def card_schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12) of the present version of the format.

    It says what a file may look like. That rules, domains and claims fit together is checked on
    reading, so a file that obeys the schema can still be refused.

    >>> card_schema()["properties"]["version"]
    {'const': 3}
    """
    text = files("supersparse.card").joinpath("schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
