from __future__ import annotations

from typing import Any

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import (
    MESSAGES_IN_WINDOW,
    WINDOW_MS,
    ChatHappening,
    ChatView,
    MessagePosted,
    TalkClosed,
    TalkOpened,
)
from circolo_events.decider import PUBLIC
from circolo_events.testing.scenario import NOON, Scenario, given
from circolo_rooms.registry import REGISTRY
from circolo_rooms.talk.chat import ChatDecider, may_read, team_audience
from circolo_rooms.talk.commands import FreeTalk, HushTalk, PostMessage
from msgspec import UNSET
from table_talk import ANNA, BRUNO, CARLA, GAME_ID, ROOM, ROOMS

OTHER_GAME = "3" * 32
MESSAGE = "1" * 32


def chat(*events: Any) -> Scenario:
    return given(ChatDecider(), *events, stream=f"chat-{ROOM}")


def said(player: str = ANNA, at: int = NOON) -> MessagePosted:
    return MessagePosted(at=at, channel="ROOM", digest="d", message_id=MESSAGE, player=player)


def whispered(*readers: str, team: int = 0) -> MessagePosted:
    return MessagePosted(
        at=NOON, channel="TEAM", digest="d", message_id=MESSAGE, player=readers[0], readers=list(readers), team=team
    )


def saying(table: str = "") -> PostMessage:
    return PostMessage(channel="ROOM", digest="d", table=table)


def hushed(game_no: int = 1, game_id: str = GAME_ID) -> TalkClosed:
    return TalkClosed(at=NOON, game_id=game_id, game_no=game_no)


def test_a_message_is_an_event_with_a_digest_and_no_text() -> None:
    chat().when(saying(), actor=ANNA).then(said())


def test_nobody_but_a_person_says_anything() -> None:
    chat().when(saying(), actor=ROOMS).then_refused(RefusalCode.NOT_ALLOWED)


def test_five_messages_in_ten_seconds_and_the_sixth_has_to_wait() -> None:
    full = [said(at=NOON + n) for n in range(MESSAGES_IN_WINDOW)]
    last = NOON + WINDOW_MS - 1
    chat(*full[:-1]).when(saying(), actor=ANNA, now=last).then(said(at=last))
    chat(*full).when(saying(), actor=ANNA, now=last).then_refused(RefusalCode.RATE_LIMITED)
    chat(*full).when(saying(), actor=ANNA, now=NOON + WINDOW_MS).then(said(at=NOON + WINDOW_MS))


def test_who_talks_much_takes_nothing_from_the_others() -> None:
    full = [said() for _ in range(MESSAGES_IN_WINDOW)]
    chat(*full).when(saying(), actor=BRUNO).then(said(BRUNO))


def test_an_evening_of_talk_is_remembered_for_ten_seconds_only() -> None:
    evening = chat(*(said(at=NOON + n * 3_000) for n in range(500)))
    assert len(evening.state.lately) <= 5


# ---- the first trick of a four-handed briscola


def test_who_sits_is_silent_from_the_start_of_the_game_although_nobody_said_so_yet() -> None:
    chat().when(saying(table=GAME_ID), actor=ANNA).then_refused(RefusalCode.FIRST_TRICK)


def test_who_sits_is_silent_in_the_first_trick_and_who_watches_is_not() -> None:
    hush = chat(hushed())
    hush.when(saying(table=GAME_ID), actor=ANNA).then_refused(RefusalCode.FIRST_TRICK)
    hush.when(saying(), actor=CARLA).then(said(CARLA))


def test_partners_talk_freely_when_the_first_trick_is_over() -> None:
    opened = chat(hushed()).when(FreeTalk(GAME_ID), actor=ROOMS).then(TalkOpened(at=NOON, game_id=GAME_ID))
    opened.when(saying(table=GAME_ID), actor=ANNA).then(said())


def test_every_deal_begins_in_silence() -> None:
    second = chat(hushed(), TalkOpened(at=NOON, game_id=GAME_ID)).when(HushTalk(GAME_ID, 1), actor=ROOMS)
    second.then(hushed()).when(saying(table=GAME_ID), actor=ANNA).then_refused(RefusalCode.FIRST_TRICK)


def test_the_next_game_is_silent_although_the_last_one_was_open() -> None:
    talking = chat(hushed(), TalkOpened(at=NOON, game_id=GAME_ID))
    talking.when(saying(table=OTHER_GAME), actor=ANNA).then_refused(RefusalCode.FIRST_TRICK)


def test_late_news_of_an_earlier_game_change_nothing() -> None:
    later = chat(hushed(2, OTHER_GAME), TalkOpened(at=NOON, game_id=OTHER_GAME))
    later.when(HushTalk(GAME_ID, 1), actor=ROOMS).then_nothing()
    chat(hushed(2, OTHER_GAME)).when(FreeTalk(GAME_ID), actor=ROOMS).then_nothing()


def test_the_same_news_twice_are_no_news() -> None:
    chat(hushed()).when(HushTalk(GAME_ID, 1), actor=ROOMS).then_nothing()
    opened = chat(hushed(), TalkOpened(at=NOON, game_id=GAME_ID))
    opened.when(FreeTalk(GAME_ID), actor=ROOMS).then_nothing()
    chat().when(FreeTalk(GAME_ID), actor=ROOMS).then_nothing()


def test_no_player_opens_or_closes_the_talk() -> None:
    for order in (HushTalk(GAME_ID, 1), FreeTalk(GAME_ID)):
        chat(hushed()).when(order, actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


# ---- who hears what


def heard(event: Any, viewer: Any) -> list[ChatHappening]:
    scene = chat()
    return list(scene.decider.tell(event, scene.state, scene.decider.evolve(scene.state, event), viewer))


def test_everybody_hears_the_room_and_only_the_team_its_own_channel() -> None:
    for viewer in (PUBLIC, team_audience(0), team_audience(1)):
        assert [each.player for each in heard(said(), viewer)] == [ANNA]
    assert [each.team for each in heard(whispered(ANNA, CARLA), team_audience(0))] == [0]
    assert heard(whispered(ANNA, CARLA), team_audience(1)) == []
    assert heard(whispered(ANNA, CARLA), PUBLIC) == []


def test_backend_S3_two_worlds_that_differ_in_what_a_team_says_look_the_same_to_the_other_team() -> None:
    worlds = [chat(whispered(ANNA, CARLA)), chat(whispered(CARLA, ANNA))]
    for viewer in (PUBLIC, team_audience(1)):
        assert len({str(world.decider.view(world.state, viewer)) for world in worlds}) == 1


def test_what_was_said_in_a_team_is_read_later_by_who_was_in_it_then() -> None:
    assert may_read(whispered(ANNA, CARLA), CARLA)
    assert not may_read(whispered(ANNA, CARLA), BRUNO)
    assert may_read(said(), BRUNO)


def test_the_view_says_in_which_game_one_is_silent() -> None:
    hush = chat(hushed())
    assert hush.decider.view(hush.state, PUBLIC) == ChatView(version=1, silent_game=GAME_ID)
    assert [each.game_id for each in heard(hushed(), PUBLIC)] == [GAME_ID]
    opened = chat(hushed(), TalkOpened(at=NOON, game_id=GAME_ID))
    assert opened.decider.view(opened.state, PUBLIC).silent_game is UNSET


@pytest.mark.parametrize("event", [said(), hushed(), whispered(ANNA)])
def test_what_a_decider_tells_has_no_text(event: Any) -> None:
    assert all(each.text is UNSET for each in heard(event, team_audience(0)))
    assert REGISTRY.encode(event)[0] == type(event).__name__
