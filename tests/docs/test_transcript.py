"""The transcript in the guide for assistants is what its program prints."""

from page_blocks import ROOT, blocks


def test_the_transcript_is_what_the_program_prints(capsys):
    found = blocks(ROOT / "docs" / "guides" / "assistants.md")
    program, transcript = (next(each.text for each in found if each.language == name) for name in ("python", "text"))
    exec(compile(program, "assistants.md", "exec"), {"__name__": "snippet"})
    assert capsys.readouterr().out == transcript
