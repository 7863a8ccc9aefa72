"""docs/te.md has the errors of the table in the code."""

from pathlib import Path

from teloom.passes.elementary.accuracy import COMPOSED, FUNCTIONS, LEVELS, greatest_error

PAGE = Path(__file__).parents[2] / "docs" / "te.md"


def row(name: str) -> str:
    """The row of a function: its errors in float32, and those in float64, level by level."""
    errors = (greatest_error(name, type, level) for type in ("f32", "f64") for level in LEVELS)
    return f"| `{name}` | {' | '.join(f'{error:g}' for error in errors)} |"


def test_the_errors_are_documented():
    page = PAGE.read_text()
    missing = [row(name) for name in (*FUNCTIONS, *COMPOSED) if row(name) not in page]
    assert not missing, "docs/te.md lacks\n" + "\n".join(missing)
