"""The commands that need an extra, and files to point them at. Also for `.ci/check_wheel.py`, so without pytest."""

from pathlib import Path

POSTGRES = "postgresql+psycopg://nobody@127.0.0.1:1/none"

# The extra, and the command that needs it. "terminal" stands for a person at a terminal, capitals for files.
NEEDING = [
    ("serve", ("serve", "films", "--check")),
    ("serve", ("serve", "films", "--port", "0")),
    ("serve", ("terminal", "demo")),
    ("serve", ("bench", "--serve", "--users", "1", "--seconds", "1")),
    ("postgres", ("serve", "films", "--check", "--database", POSTGRES)),
    ("postgres", ("serve", "films", "--port", "0", "--database", POSTGRES)),
    ("plots", ("simulate", "films", "--plot", "regret.png")),
    ("plots", ("bench", "--quick", "--plot", "times.png")),
    ("plots", ("reproduce", "report", "--docs", "DOCS")),
    ("data", ("learn", "RATINGS", "--method", "als")),
    ("ann", ("ask", "films", "--json", "--retriever", "approximate")),
    ("ann", ("simulate", "films", "--retriever", "approximate")),
    ("ann", ("serve", "films", "--check", "--retriever", "approximate")),
    ("ann", ("serve", "films", "--port", "0", "--retriever", "approximate")),
    ("mcp", ("mcp", "films")),
    ("mcp", ("mcp", "films", "--http", "--port", "0")),
    ("cluster", ("simulate", "films", "--ray", "local")),
    ("cluster", ("reproduce", "synthetic", "--quick", "--ray", "local")),
]


def write_files(folder: Path) -> dict[str, Path]:
    """The files that the words in capitals stand for."""
    files = {"RATINGS": folder / "ratings.csv", "TABLE": folder / "candies.csv", "DOCS": folder / "docs"}
    files["RATINGS"].write_text("user,item,rating\na,x,1\na,y,2\nb,x,3\nb,y,5\n")
    rows = [f"candy {number},{number * 7 % 11},{('yes', 'no')[number % 2]}" for number in range(12)]
    files["TABLE"].write_text("\n".join(["name,price,chocolate", *rows]) + "\n")
    kept = files["DOCS"] / "results"
    kept.mkdir(parents=True)
    published = Path(__file__).parents[2] / "docs" / "results" / "synthetic.jsonl"
    (kept / published.name).write_bytes(published.read_bytes())
    return files
