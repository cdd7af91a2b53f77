"""The API withstands requests generated from its own description; `fuzzing.py` sends as many as wanted."""

import fuzzing


def test_no_generated_request_ends_in_a_server_error(tmp_path):
    fuzz = fuzzing.run(400, tmp_path)
    assert fuzz.failures == []
    assert sum(fuzz.statuses.values()) >= 400
    assert {200, 201, 204, 401, 404, 422} <= set(fuzz.statuses)
