"""`rather insights` says what is wrong in one line, before anything takes long."""

import pytest


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "none/report.html"], "There is no folder none."),
        (["--out", "folder"], "--out must be a file, and folder is a folder."),
        (["--csv", "file"], "file must be a folder, and is a file."),
        (["--plots", "file"], "file must be a folder, and is a file."),
    ],
)
def test_a_path_that_cannot_be_written_is_rejected(rather, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert said in rather("insights", "sessions.db", "--catalog", "films", *options, expect=2).err


def test_an_export_is_told_from_a_folder_of_logs(rather, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "respondents.csv").touch()
    said = rather("insights", "export", "--catalog", "films", expect=2).err
    assert "rather import export --database sqlite:///sessions.db" in said
