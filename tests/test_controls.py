"""Control characters become visible, and everything else stays."""

import json
import unicodedata

from rather.controls import escaped_json, visible, visible_line

EVERY_CHARACTER = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000)]))


def test_no_control_character_but_the_line_feed_is_left():
    shown = visible(EVERY_CHARACTER)
    assert {sign for sign in shown if unicodedata.category(sign) in ("Cc", "Zl", "Zp")} == {"\n"}
    assert len(shown) == len(EVERY_CHARACTER)
    assert "\n" not in visible_line(EVERY_CHARACTER)


def test_other_text_stays_as_it_is():
    for text in ("plain\ntext", "naïve café…", "日本語", "👩‍👩‍👧", "שלום", "a\N{NO-BREAK SPACE}b"):
        assert visible(text) == text


def test_json_holds_no_control_character_and_says_the_same():
    text = escaped_json(json.dumps([EVERY_CHARACTER], ensure_ascii=False))
    assert all(unicodedata.category(sign) not in ("Cc", "Zl", "Zp") for sign in text)
    assert json.loads(text) == [EVERY_CHARACTER]
