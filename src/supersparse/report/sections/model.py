"""The scoring system itself, and how it is used."""

from supersparse.render.content import content
from supersparse.report.blocks import Block, Bullets, CardFace, Paragraph, Section
from supersparse.report.evidence import Evidence


def model(evidence: Evidence) -> Section:
    """TRIPOD asks for the full model (15a) and for how to use it (15b)."""
    card = evidence.card
    said = content(card)
    blocks: list[Block] = [CardFace(card)]
    if said.parts:
        steps = (
            f"{said.how} Add them up as the card says.",
            *(f"{words}: predict {name}." for words, name in said.answers),
        )
        blocks += [Paragraph("How to use it:"), Bullets(steps)]
    if card.risk is None:
        blocks.append(
            Paragraph("The card holds no risks: it gives a class. Observed risks by total are shown below.")
        )
    return Section(name="model", title="The scoring system", tripod=("15a", "15b"), blocks=tuple(blocks))
