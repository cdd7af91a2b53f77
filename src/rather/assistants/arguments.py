"""What an assistant may pass to the tools, with the bounds that its schema states."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, model_validator

from rather.conversation.policy_settings import AskKind


def numbered(value: object) -> object:
    """The number that a text of digits stands for: language models often write numbers as texts."""
    is_number = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19
    return int(str(value)) if is_number else value


ConversationId = Annotated[str, Field(max_length=64, description="What open_conversation returned.")]
# The id of a configuration has every value that was chosen.
ItemKey = StrictInt | Annotated[str, Field(max_length=5_000)]
Language = Literal["en", "de", "fr", "es"]

SlateSize = Annotated[int, Field(ge=2, le=10, description="Options per question.")]
Asking = Annotated[
    AskKind,
    Field(
        description="Compare items, attributes (“funny or dark?”), or each time whichever is worth more (`auto`)."
        " `attributes` and `auto` need a catalogue with attributes to differ from `items`."
    ),
]
AttributeCount = Annotated[int, Field(ge=1, le=10, description="Attributes per option, in questions about attributes.")]
MostQuestions = Annotated[int, Field(ge=1, le=100, description="Stop after this many answers at the latest.")]
Seed = Annotated[int, Field(ge=0, lt=2**53, description="The same seed and answers give the same questions.")]
QuestionNumber = Annotated[int, Field(ge=1, le=10_000, description="The `number` of the question that is answered.")]
Choice = Annotated[
    StrictInt | Annotated[str, Field(max_length=20)],
    BeforeValidator(numbered),
    Field(
        description="The `choice` of an option (a number from 0), or `none` (of these), `same` (all about equally good)"
        " or `skip` (the person would rather not answer)."
    ),
]
SAYS = Literal["more-like", "like-but", "want", "dont-care"]
Says = Annotated[
    SAYS,
    Field(
        description="`more-like`: the `item` is better than the others that are recommended; `like-but`: one that "
        "differs from the `item` in this `column` alone is better; `want`: the `attribute` is worth having; "
        "`dont-care`: items that differ in this `column` alone are about the same."
    ),
]
WishedItem = Annotated[ItemKey | None, Field(description="The id of an item, for `more-like` and `like-but`.")]
WishedColumn = Annotated[
    Annotated[str, Field(max_length=1_000)] | None,
    Field(description="For `like-but` one of the `wishes` of a recommended item, for `dont-care` an attribute's."),
]
WishedToward = Annotated[Literal["less", "more"] | None, Field(description="For `like-but`: which way it differs.")]
WishedAttribute = Annotated[
    Annotated[str, Field(max_length=1_000)] | None,
    Field(description="For `want`: the `text` of an attribute, exactly as describe_catalog lists it."),
]
Where = Annotated[
    Annotated[str, Field(max_length=1_000)] | None,
    Field(description="A filter expression such as `price < 30000 and drive == 'AWD'`, for catalogues that take one."),
]
Count = Annotated[int, Field(ge=1, le=20, description="How many.")]
Offset = Annotated[int, Field(ge=0, le=10_000, description="How many were shown before.")]
Exclude = Annotated[list[ItemKey], Field(max_length=200, description="Ids of items that the person does not want.")]
SearchText = Annotated[str, Field(min_length=1, max_length=200, description="Words of a name, in any order.")]


class MustHave(BaseModel):
    """What an item must have in one column; others are neither asked about nor recommended."""

    model_config = ConfigDict(extra="forbid")

    column: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="The `name` of a column that describe_catalog lists."
    )
    any_of: list[Annotated[str, Field(max_length=500)]] | None = Field(
        None, min_length=1, max_length=100, description="For a column of values: the item has one of these."
    )
    minimum: float | None = Field(None, allow_inf_nan=False, description="For a column of numbers: not below this.")
    maximum: float | None = Field(None, allow_inf_nan=False, description="For a column of numbers: not above this.")

    @model_validator(mode="after")
    def _has_a_condition(self) -> "MustHave":
        if self.any_of is None and self.minimum is None and self.maximum is None:
            raise ValueError("a must-have needs `any_of`, `minimum` or `maximum`")
        return self

    @property
    def attribute(self) -> str:
        """What filters call the column."""
        return self.column

    @property
    def text(self) -> str:
        """In words: "price: at most 30000"."""
        bounds = [
            *([f"at least {self.minimum:g}"] if self.minimum is not None else []),
            *([f"at most {self.maximum:g}"] if self.maximum is not None else []),
            *([" or ".join(self.any_of)] if self.any_of is not None else []),
        ]
        return f"{self.column}: {', '.join(bounds)}"


LONGEST_VALUE = 1_000


def chosen_value(value: object) -> object:
    """What may be the value of a decision; checked before the union is, which would say what each part of it lacks."""
    is_text = isinstance(value, str) and len(value) <= LONGEST_VALUE
    is_number = isinstance(value, int | float) and abs(value) <= 2**53
    if not is_text and not is_number:
        raise ValueError(f"a value is a text of at most {LONGEST_VALUE} characters, a number, true or false")
    return value


# The length is in `Field` too, for the schema.
Value = Annotated[
    bool | int | float | Annotated[str, Field(max_length=LONGEST_VALUE)],
    BeforeValidator(chosen_value),
]


class NewValue(BaseModel):
    """What one decision should become: a carbon frame."""

    model_config = ConfigDict(extra="forbid")

    column: Annotated[str, Field(min_length=1, max_length=1_000)] = Field(
        description="The `column` or `name` of a decision that describe_catalog lists."
    )
    value: Value = Field(description="One of its values; true or false for what is there or not.")


MustHaves = Annotated[list[MustHave], Field(max_length=50, description="Items must have all of these.")]
AdjustedItem = Annotated[
    ItemKey,
    Field(description="The id of a configuration: a recommended one, an option of a question, or an adjusted one."),
]
Changes = Annotated[
    list[NewValue], Field(min_length=1, max_length=20, description="What the person wants changed, and nothing else.")
]
Take = Annotated[
    bool,
    Field(description="False: only show the result. True: record that the person wants it; only after they said so."),
]
