"""The same requests give the responses that were recorded, but for ids and times."""

import golden_edges as edges
import pytest
from golden_conversations import play_over_http
from golden_files import assert_as_recorded, names, read

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")


@pytest.mark.parametrize("name", names("rest-*"))
def test_a_conversation_over_http_is_as_recorded(name, tmp_path):
    recorded = read(name)
    requests = [
        {key: value for key, value in request.items() if key not in ("status", "response")}
        for request in recorded["requests"]
    ]
    with edges.client(tmp_path, (recorded["world"],)) as client:
        assert_as_recorded(play_over_http(client, requests), recorded["requests"])
