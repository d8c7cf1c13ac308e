"""The README's own examples, copied and run."""

from __future__ import annotations

import re
from pathlib import Path

from circolo_devstack.api import Api
from circolo_devstack.stack import Stack

README = Path(__file__).parents[3] / "README.md"


def examples() -> list[str]:
    return re.findall(r"```graphql\n(.*?)```", README.read_text(), re.DOTALL)


async def test_the_match_by_hand_can_be_played_as_it_stands(house: Stack) -> None:
    sign_in, create, add_cpu, start, follow, play = examples()
    async with Api(house.url) as api:
        signed_in = (await api.call(sign_in))["signInAsGuest"]
        api.token = signed_in["token"]
        room = (await api.call(create))["createRoom"]["room"]
        assert (await api.call(create))["createRoom"]["room"] == room, "the same key again gets the first answer again"
        assert not (await api.call(add_cpu.replace("ROOM_ID", room["id"])))["addCpu"]
        game = (await api.call(start.replace("ROOM_ID", room["id"])))["startGame"]["room"]["gameId"]
        async with api.subscribe(follow.replace("GAME_ID", game)) as updates:
            async for data in updates:
                seen = data["game"]["game"]
                if seen.get("legalMoves"):
                    break
        play = play.replace("GAME_ID", game)
        answer = (await api.call(play))["playCard"]
        if "7D" not in seen["hand"]:
            assert answer["code"] == "CARD_NOT_IN_HAND"
            answer = (await api.call(play.replace("7D", seen["hand"][0])))["playCard"]
        assert answer["version"]
