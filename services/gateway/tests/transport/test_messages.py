"""A client's ``subscribe`` is read in one go, and means what it means when it is read by hand."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from circolo_gateway.transport import messages
from circolo_gateway.transport.messages import Malformed, read_message

PAYLOADS = [
    '{"query":"q"}', '{"query":"q","variables":{"a":[1,{"b":null}]},"operationName":"A","extensions":{"x":1}}',
    '{"query":"q","variables":null,"operationName":null,"extensions":null,"more":[1.5]}', '{"query":""}', "{}", "7",
    '{"query":null}', '{"query":"q","variables":[]}', '{"query":"q","operationName":7}',
    '{"query":"q","extensions":""}',
    '{"query":"first","query":"last"}', '{"query":7,"query":"last"}', '{"query":"\\ud800"}',
    '{"query":"\\ud83d\\ude00"}',
    '{"operation_name":"A","query":"q"}', '{"query":"q","variables":{"n":1e400}}',
    '{"query":"q","variables":{"n":123456789012345678901234567890}}', "[" * 2_000 + "]" * 2_000,
]  # fmt: skip
WHOLE = [
    *(f'{{"id":"1","type":"subscribe","payload":{payload}}}' for payload in PAYLOADS),
    *(f'{{"id":{identity},"type":"subscribe","payload":{{"query":"q"}}}}'
      for identity in ('""', "1", "null", '"\\ud800"', f'"{"x" * 256}"', f'"{"x" * 257}"', '"' + "è" * 256 + '"')),
    '{"type":"subscribe","id":"1","payload":{"query":"q"},"type":"complete"}', '{"type":"subscribe"}', "[]", "", "{",
    '{"type":"complete","id":"1","payload":{"query":"q"},"type":"subscribe"}', '{"type":"complete","id":"1"}',
    '{"payload":{"query":"q"},"id":"1","type":"subscribe","more":{}} ', '{"id":"1","payload":{"query":"q"}}',
]  # fmt: skip


def read(text: str) -> Any:
    try:
        return read_message(text)
    except Malformed as malformed:
        return str(malformed)


@pytest.mark.parametrize("text", WHOLE, ids=[text[:70] for text in WHOLE])
def test_a_message_means_the_same_however_it_is_read(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = read(text)

    def by_hand(_: str) -> Any:
        raise msgspec.DecodeError

    monkeypatch.setattr(messages, "_subscribe", by_hand)
    assert at_once == read(text)
