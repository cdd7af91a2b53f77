"""The colours of the page: which there are, which follow from others, and which are read upon which."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace

from rather.server.theme.colors import BLACK, NIGHT, WHITE, contrast, legible, mixed

# What WCAG 2.2 AA asks of text.
NEED = 4.5

# Colours that follow from others are a little better than they need to be.
AIM = 5.0


@dataclass(frozen=True)
class Palette:
    """The colours of one mode, as `#rrggbb`; the stylesheet calls `on_accent` `--on-accent`.

    Attributes:
        paper: The ground of the page.
        sheet: The ground of cards, dialogs and fields.
        ink: Text.
        soft: Text of less weight.
        rule: Lines.
        accent: Buttons, links, numbers, charts: the shop's own colour.
        on_accent: Text on the accent.
        on_accent_soft: Text of less weight on the accent.
        wash: The ground of a card under the pointer.
        notice: The ground of a notice.
    """

    paper: str
    sheet: str
    ink: str
    soft: str
    rule: str
    accent: str
    on_accent: str
    on_accent_soft: str
    wash: str
    notice: str

    def properties(self) -> Iterator[tuple[str, str]]:
        """The names of the custom properties of the stylesheet, each with its colour."""
        return ((f"--{name.replace('_', '-')}", color) for name, color in asdict(self).items())


COLORS = tuple(field.name for field in fields(Palette))

# The same as in web/src/style/tokens.css; a test compares them.
LIGHT = Palette(
    paper="#f2f3f0",
    sheet="#fdfdfb",
    ink="#14171f",
    soft="#585f6b",
    rule="#d8dbd6",
    accent="#2a36c8",
    on_accent="#ffffff",
    on_accent_soft="#dfe2ff",
    wash="#eceefb",
    notice="#fbf1d6",
)
DARK = Palette(
    paper="#101217",
    sheet="#181b22",
    ink="#eceef3",
    soft="#a3aab8",
    rule="#2c313c",
    accent="#a3adff",
    on_accent="#10131f",
    on_accent_soft="#262c55",
    wash="#20253a",
    notice="#33290f",
)

# A text and the ground that it stands on.
PAIRS = (
    ("ink", "paper"),
    ("ink", "sheet"),
    ("ink", "wash"),
    ("ink", "notice"),
    ("soft", "paper"),
    ("soft", "sheet"),
    ("soft", "wash"),
    ("accent", "paper"),
    ("accent", "sheet"),
    ("accent", "wash"),
    ("on_accent", "accent"),
    ("on_accent_soft", "accent"),
)


def completed(given: Mapping[str, str], base: Palette) -> Palette:
    """The given colours, those that follow from them, and the rest of the base."""
    palette = replace(base, **given)
    found = dict(given)

    def follow(name: str, color: str | None) -> None:
        if name not in given and color is not None:
            found[name] = color

    if "paper" in given:
        follow("sheet", mixed(palette.paper, WHITE, 0.3 if contrast(palette.paper, WHITE) < 4 else 0.95))
        palette = replace(palette, **found)
    if "ink" in given or "paper" in given:
        grounds = (palette.paper, palette.sheet)
        follow("soft", legible(mixed(palette.ink, palette.paper, 0.65), grounds, AIM))
        follow("rule", mixed(palette.ink, palette.paper, 0.14))
    if "accent" in given:
        follow("on_accent", _upon(palette.accent))
        palette = replace(palette, **found)
        follow("on_accent_soft", legible(mixed(palette.on_accent, palette.accent, 0.85), (palette.accent,), NEED))
        follow("wash", mixed(palette.accent, palette.sheet, 0.08))
    return replace(palette, **found)


def brightened(accent: str, base: Palette) -> str:
    """The accent of the other mode, from that of one: its nearest shade or tint that can be read there."""
    return legible(accent, (base.paper, base.sheet, mixed(accent, base.sheet, 0.08)), AIM) or base.accent


def _upon(ground: str) -> str:
    """White or black, whichever is the better text on this ground; a softer black where that is enough."""
    if contrast(WHITE, ground) >= NEED:
        return WHITE
    return NIGHT if contrast(NIGHT, ground) >= NEED else max(WHITE, BLACK, key=lambda text: contrast(text, ground))


@dataclass(frozen=True)
class Weak:
    """A text that is hard to read.

    Attributes:
        text: The name of its colour.
        ground: The name of the colour that it stands on.
        ratio: The contrast, below `NEED`.
        better: The nearest colour for the text that would do, if there is one; grounds that follow from it may move.
    """

    text: str
    ground: str
    ratio: float
    better: str | None


def weak_pairs(palette: Palette) -> list[Weak]:
    """The texts of a palette that are hard to read, each with the ground on which it is hardest."""
    colors = asdict(palette)
    weak = []
    for text in dict.fromkeys(text for text, _ in PAIRS):
        ratios = {ground: contrast(colors[text], colors[ground]) for name, ground in PAIRS if name == text}
        ground = min(ratios, key=lambda name: ratios[name])
        if ratios[ground] < NEED:
            better = legible(colors[text], [colors[name] for name in ratios], AIM)
            weak.append(Weak(text, ground, ratios[ground], better))
    return weak
