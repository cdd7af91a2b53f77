"""`rather inspect cars.csv --questions`: what people would be asked and told, for the owner to read first."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rather.model.belief import Belief
    from rather.model.catalog import Catalog
    from rather.model.questions import Option

QUESTIONS = 20
NO_REASON = "nothing to say yet"
INTRODUCTION = "What a simulated user was asked about {table}, and why three items were recommended each time:"


def questions_report(catalog: "Catalog", belief: "Belief", table: str, language: str) -> dict[str, Any]:
    """Twenty questions, and the reasons for what is recommended after them, as plain data."""
    from rather.simulation.preview import preview

    return {
        "table": table,
        "conversations": [
            {
                "questions": [
                    {
                        "kind": question.kind,
                        "text": question.text,
                        "options": [_option(option) for option in question.options],
                    }
                    for question in conversation.questions
                ],
                "recommendations": [
                    {"label": item.label, "reasons": [reason.text for reason in reasons]}
                    for item, reasons in conversation.recommended
                ],
            }
            for conversation in preview(catalog, belief, count=QUESTIONS, language=language)
        ],
    }


def _option(option: "Option") -> dict[str, Any]:
    if option.attributes:
        return {"label": option.label, "attributes": list(option.attributes)}
    return {"label": option.label, "facts": dict(option.facts)}


def show_questions(report: dict[str, Any]) -> None:
    """Print the report for people."""
    from rich.text import Text

    from rather.cli.console import plain_console

    console = plain_console()
    console.print(Text(INTRODUCTION.format(table=report["table"]), style="bold"))
    number = 0
    for conversation in report["conversations"]:
        console.print()
        for question in conversation["questions"]:
            number += 1
            console.print(Text(f"{number:>2}. {question['text']}"))
        for item in conversation["recommendations"]:
            why = "; ".join(item["reasons"]) or NO_REASON
            console.print(Text(f"    {item['label']}: ", style="cyan").append(why, style="default"))
