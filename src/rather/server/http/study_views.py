"""The study that a session is part of, as the API shows it to the respondent: never the arm."""

import json

from rather.server.conversations import Conversation
from rather.server.http import schema
from rather.server.studies import Study
from rather.server.studies.study import text_in


def study_view(conversation: Conversation, study: Study | None, language: str) -> schema.StudyView | None:
    """The study of a session; None when it is in none, or in one that is no longer held."""
    stored = conversation.stored
    if study is None or stored.study.get("campaign") != study.name:
        return None
    rule = json.loads(stored.settings)["stopping"]
    finished = conversation.found is not None and conversation.found.stop is not None
    return schema.StudyView(
        minimum=rule.get("minimum") or study.minimum,
        maximum=rule.get("questions") or study.maximum,
        finished=finished,
        results=study.end.results,
        automatic=study.end.automatic,
        text=text_in(study.end.text, language) if finished else None,
        redirect=study.redirect(stored.study) if finished else None,
    )
