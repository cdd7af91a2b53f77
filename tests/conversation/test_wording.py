"""Questions as people read them."""

import pytest
import torch

from rather.conversation.wording import article, attribute_sentence, item_sentence, markdown, option_label
from rather.formats.films import film_catalog
from rather.model.attributes import Attribute
from rather.model.questions import plain


def said(*texts, form="is"):
    return [Attribute(text, text, torch.zeros(1), form) for text in texts]


def asked(name, *options):
    return markdown(attribute_sentence(name, options))


def test_adjectives():
    assert asked("film", said("funny"), said("thought-provoking")) == (
        "Would you rather a film that is **funny** or one that is **thought-provoking**?"
    )


def test_more_than_two_options():
    assert asked("album", said("loud"), said("slow"), said("sad")) == (
        "Would you rather an album that is **loud**, one that is **slow** or one that is **sad**?"
    )


def test_several_statements_are_joined_and_options_kept_apart():
    assert asked("film", said("funny", "dark"), said("slow", "epic")) == (
        "Would you rather a film that is **funny** and **dark**, or one that is **slow** and **epic**?"
    )
    assert asked("film", said("funny", "dark", "slow"), said("epic", "long", "sad"), said("old", "odd", "mild")) == (
        "Would you rather a film that is **funny**, **dark** and **slow**; "
        "one that is **epic**, **long** and **sad**; or one that is **old**, **odd** and **mild**?"
    )


def test_things_to_have():
    assert asked("car", said("all-wheel drive", form="with"), said("200 to 300 hp", form="with")) == (
        "Would you rather a car with **all-wheel drive** or one with **200 to 300 hp**?"
    )


def test_forms_mix_in_one_option():
    option = [*said("red"), *said("all-wheel drive", "200 to 300 hp", form="with"), *said("seats five", form="that")]
    assert asked("car", option, said("under 25,000")) == (
        "Would you rather a car with **all-wheel drive** and **200 to 300 hp** that is **red** and **seats five**, "
        "or one that is **under 25,000**?"
    )


def test_statements_without_a_form_stand_alone():
    assert asked("book", said("fantasy", form=""), said("romance", "war", form="")) == (
        "Would you rather **fantasy**, or **romance** and **war**?"
    )
    assert asked("book", said("fantasy", form=""), said("short")) == "Would you rather **fantasy** or **short**?"


def test_items_by_their_labels():
    assert plain(item_sentence(["Alien", "Brazil", "Fargo"])) == "Would you rather Alien, Brazil or Fargo?"


def test_labels_of_options():
    assert option_label(said("funny")) == "funny"
    assert option_label(said("funny", "dark", "slow")) == "funny, dark and slow"


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("film", "a"), ("album", "an"), ("hour", "an"), ("hotel", "a"), ("unit", "a"), ("umbrella", "an"), ("one", "a")],
)
def test_the_article_is_the_spoken_one(noun, expected):
    assert article(noun) == expected


def test_every_quality_of_the_films_reads_after_is():
    texts = {attribute.text for attribute in film_catalog().attributes}
    assert len(texts) == 25
    assert {"funny", "thought-provoking", "based on a book", "a character study", "visually stunning"} <= texts
    assert not any("_" in text for text in texts)
