"""Questions as people read them."""

import pytest
import torch

from rather.conversation.wording import (
    article,
    attribute_option,
    attribute_sentence,
    item_sentence,
    markdown,
    option_label,
)
from rather.formats.films import film_catalog
from rather.model.attributes import Attribute, Wording
from rather.model.questions import plain


def said(*texts, phrase="that is **{}**"):
    return [Attribute(text, text, torch.zeros(1), phrase.replace("{}", text)) for text in texts]


def asked(name, *options, verb="have"):
    return markdown(attribute_sentence(name, options, verb))


def test_adjectives():
    assert asked("film", said("funny"), said("thought-provoking")) == (
        "Would you rather have a film that is **funny** or one that is **thought-provoking**?"
    )


def test_more_than_two_options():
    assert asked("album", said("loud"), said("slow"), said("sad")) == (
        "Would you rather have an album that is **loud**, one that is **slow** or one that is **sad**?"
    )


def test_several_statements_are_joined_and_options_kept_apart():
    assert asked("film", said("funny", "dark"), said("slow", "epic")) == (
        "Would you rather have a film that is **funny** and **dark**, or one that is **slow** and **epic**?"
    )
    assert asked("film", said("funny", "dark", "slow"), said("epic", "long", "sad"), said("old", "odd", "mild")) == (
        "Would you rather have a film that is **funny**, **dark** and **slow**; "
        "one that is **epic**, **long** and **sad**; or one that is **old**, **odd** and **mild**?"
    )


def test_things_to_have():
    assert asked("car", said("all-wheel drive", phrase="with **{}**"), said("200 to 300 hp", phrase="with **{}**")) == (
        "Would you rather have a car with **all-wheel drive** or one with **200 to 300 hp**?"
    )


def test_forms_mix_in_one_option():
    option = [
        *said("red"),
        *said("all-wheel drive", "200 hp", phrase="with **{}**"),
        *said("seats five", phrase="that **{}**"),
    ]
    assert asked("car", option, said("under 25,000")) == (
        "Would you rather have a car with **all-wheel drive** and **200 hp** that is **red** and **seats five**, "
        "or one that is **under 25,000**?"
    )


def test_what_follows_the_noun_directly_comes_first():
    costs, made = said("under €700", phrase="that costs **{}**"), said("Audi", phrase="made by **{}**")
    rated = said("4 or more", phrase="whose rating is **{}**")
    assert asked("car", [*costs, *made, *rated], said("red")) == (
        "Would you rather have a car made by **Audi** that costs **under €700** and whose rating is **4 or more**, "
        "or one that is **red**?"
    )


def test_tags_are_said_together():
    assert asked("wine", said("Merlot", "Syrah", phrase="made from **{}**"), said("red")) == (
        "Would you rather have a wine made from **Merlot** and **Syrah**, or one that is **red**?"
    )
    assert asked("wine", said("Rioja", "Spain", phrase="whose region includes **{}**"), said("red")) == (
        "Would you rather have a wine whose region includes **Rioja** and **Spain**, or one that is **red**?"
    )
    assert asked("laptop", said("light", "fast", phrase="tagged **{}**"), said("red")) == (
        "Would you rather have a laptop tagged **light** and **fast**, or one that is **red**?"
    )


def test_what_all_options_share_is_not_said():
    funny = said("funny")
    assert asked("film", [*funny, *said("dark")], [*funny, *said("slow")], verb="watch") == (
        "Would you rather watch a film that is **dark** or one that is **slow**?"
    )
    assert "funny" in asked("film", funny, [*funny, *said("slow")])  # otherwise nothing would be left of the first


def test_attributes_without_a_phrase_stand_alone():
    assert asked("book", said("fantasy", phrase=""), said("romance", "war", phrase="")) == (
        "Would you rather have **fantasy**, or **romance** and **war**?"
    )
    assert asked("book", said("fantasy", phrase=""), said("short")) == "Would you rather have **fantasy** or **short**?"


def test_items_by_their_labels():
    assert plain(item_sentence(["Alien", "Brazil", "Fargo"])) == "Would you rather have Alien, Brazil or Fargo?"
    assert plain(item_sentence(["Alien", "Brazil"], "watch")) == "Would you rather watch Alien or Brazil?"


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


def test_an_option_of_attributes_is_named_inside_a_sentence():
    made, ram = (
        Attribute("A1", "brand", [1.0], "made by **A1**"),
        Attribute("RAM 8 GB", "ram", [1.0], "with **8 GB** of RAM"),
    )
    assert attribute_option([made, ram]).named == "one made by A1 with 8 GB of RAM"
    assert attribute_option([Attribute("A1", "brand", [1.0])]).named == "A1"


def test_what_begins_alike_is_joined_in_other_languages():
    def said(text, phrase):
        vector = torch.ones(1)
        return Attribute(text, text, vector, translate=lambda language: Wording(text, phrase))

    options = [
        [said("a", "mit **A**"), said("b", "mit **B**")],
        [said("c", "mit **C** RAM"), said("d", "D: **d**"), said("e", "")],
    ]
    words = attribute_sentence("thing", options, "have", "de")
    assert markdown(words) == "Was wäre dir lieber, mit **A** und **B**, oder mit **C** RAM, D: **d** und **e**?"
