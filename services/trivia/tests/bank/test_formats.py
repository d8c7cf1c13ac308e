"""What is read of each format of question files, and what of it is refused, by row."""

from __future__ import annotations

import base64
import html
import json
import random
from urllib.parse import quote

import pytest
from circolo_contracts.questions import FileFormat, RefusedRow
from circolo_trivia.bank.formats.text import Unreadable
from circolo_trivia.bank.importing import MAX_FILE, MAX_ROWS, Sorted, sorted_out
from circolo_trivia.bank.question import Tongue
from sheets import NAMESPACE, kahoot, package


def read(data: str | bytes, form: FileFormat, language: Tongue = "EN", theme: str = "storia") -> Sorted:
    return sorted_out(data.encode() if isinstance(data, str) else data, form, language, theme)


def refused(found: Sorted) -> list[tuple[int, str]]:
    return [(row.row, row.problem) for row in found.refused]


def only(found: Sorted) -> tuple[str, list[str], int]:
    """(text, options, right one) of the one question that was taken."""
    assert found.refused == []
    (draft,) = found.taken
    return draft.prompt.en, [option.en for option in draft.options], draft.answer


PO = {"it": "Qual è il fiume più lungo?", "en": "Which is the longest river?"}
RIVERS = [{"it": "Po", "en": "Po"}, {"it": "Adige", "en": "Adige"}, "Arno", {"it": "Tevere", "en": "Tiber"}]


def own(**fields: object) -> str:
    question = {"theme": "geografia", "difficulty": 1, "text": PO, "options": RIVERS, "answer": 0, "source": ""}
    return json.dumps([{**question, **fields}])


# ---------------------------------------------------------------- our own


def test_our_own_file_has_both_languages() -> None:
    (draft,) = read(own(), "JSON").taken
    assert (draft.prompt.it, draft.prompt.en) == (PO["it"], PO["en"])
    assert [option.en for option in draft.options] == ["Po", "Adige", "Arno", "Tiber"]
    assert (draft.theme, draft.difficulty, draft.row) == ("geografia", 1, 1)


def test_a_missing_language_is_the_other_one_again_and_marked() -> None:
    options = ["Po", "Adige", "Arno", "Tevere"]
    (draft,) = read(own(text={"it": "Fiume?"}, options=options), "JSON").taken
    assert (draft.prompt.en, draft.only) == ("Fiume?", "IT")
    (plain,) = read(own(text="River?", options=options), "JSON").taken
    assert (plain.prompt.it, plain.only) == ("River?", "EN")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"text": {"it": "", "en": " "}}, "EMPTY"),
        ({"text": "???"}, "EMPTY"),
        ({"text": "x" * 161}, "TOO_LONG"),
        ({"options": ["a", "b", "c", "d" * 61]}, "TOO_LONG"),
        ({"options": ["a", "b", "c"]}, "NOT_FOUR_OPTIONS"),
        ({"options": ["a", "b", "c", "d", "e"]}, "NOT_FOUR_OPTIONS"),
        ({"options": ["a", "b", "c", " A "]}, "EQUAL_OPTIONS"),
        ({"options": ["a", "b", "c", ""]}, "EMPTY"),
        ({"answer": 4}, "NO_RIGHT_OPTION"),
        ({"answer": -1}, "NO_RIGHT_OPTION"),
        ({"answer": "Po"}, "UNREADABLE"),
        ({"theme": "ludo"}, None),
        ({"difficulty": 6}, "BAD_DIFFICULTY"),
        ({"difficulty": 0}, "BAD_DIFFICULTY"),
        ({"source": "http://example.org/a"}, "BAD_SOURCE"),
        ({"source": "javascript:alert(1)"}, "BAD_SOURCE"),
        ({"source": "https://user@example.org/"}, "BAD_SOURCE"),
        ({"source": "https://localhost/"}, "BAD_SOURCE"),
        ({"source": "https://example.org/" + "a" * 300}, "BAD_SOURCE"),
        ({"source": "https://[bad"}, "BAD_SOURCE"),
        ({"source": "https://example.org/ok_(page)"}, None),
        ({"text": "<b>Bold</b>?"}, "MARKUP"),
        ({"text": "Is 2 < 3?"}, None),
        ({"text": "Hidden\u202etext?"}, "UNREADABLE"),
        ({"options": ["a", "b", "c", "<script>"]}, "MARKUP"),
    ],
    ids=str,
)
def test_a_row_that_is_no_good_question_is_refused_by_name(fields: dict[str, object], problem: str | None) -> None:
    assert refused(read(own(**fields), "JSON")) == ([] if problem is None else [(1, problem)])


def test_a_theme_of_the_file_is_taken_for_rows_that_name_none_of_ours() -> None:
    assert read(own(theme="ludo"), "JSON", theme="arte").taken[0].theme == "arte"
    assert refused(read(own(theme="ludo"), "JSON", theme="")) == [(1, "UNKNOWN_THEME")]
    assert read(own(theme="Food and wine"), "JSON").taken[0].theme == "cucina"


def test_the_first_of_two_rows_with_one_text_is_taken() -> None:
    twice = json.dumps([*json.loads(own()), *json.loads(own(text="which is the LONGEST river"))])
    found = read(twice, "JSON")
    assert [draft.row for draft in found.taken] == [1]
    assert refused(found) == [(2, "DUPLICATE_IN_FILE")]


# ---------------------------------------------------------------- CSV

CSV = "question;option 1;option 2;option 3;option 4;answer;theme;difficulty\nRiver?;Po;Adige;Arno;Tiber;1;geografia;2\n"


@pytest.mark.parametrize(
    "data",
    [
        CSV.encode(),
        CSV.replace(";", ",").encode(),
        CSV.replace(";", "\t").encode(),
        b"\xef\xbb\xbf" + CSV.encode(),
        CSV.replace("\n", "\r\n").encode(),
        CSV.replace("1;geografia;2", "A;Geography;2.0").encode(),
        CSV.replace("question;option 1", "Domanda;Risposta A").replace("answer", "giusta").encode(),
        CSV.replace("River?", '"River?"').encode(),
    ],
)
def test_a_table_of_questions_as_hosts_make_it(data: bytes) -> None:
    assert only(read(data, "CSV")) == ("River?", ["Po", "Adige", "Arno", "Tiber"], 0)
    assert (read(data, "CSV").taken[0].difficulty, read(data, "CSV").taken[0].theme) == (2, "geografia")


def test_the_windows_page_of_western_europe_is_read_too() -> None:
    data = CSV.replace("River?", "Qual è la città più bella?").encode("cp1252")
    assert only(read(data, "CSV", "IT"))[0] == "Qual è la città più bella?"


def test_two_languages_stand_in_columns_of_their_own() -> None:
    table = (
        "question_it;question_en;option1_it;option1_en;option 2;option 3;option 4;answer\n"
        "Capitale?;Capital?;Roma;Rome;Bari;Lecce;Nuoro;1\n"
    )
    (draft,) = read(table, "CSV").taken
    assert (draft.prompt.it, draft.prompt.en, draft.options[0].it, draft.options[0].en) == (
        "Capitale?", "Capital?", "Roma", "Rome",
    )  # fmt: skip
    assert draft.options[1].it == draft.options[1].en == "Bari"


def test_log_14_a_bad_third_row_is_named_and_the_good_ones_are_taken() -> None:
    more = 'Second?;a;b;c;d;2;arte;1\nThird?;a;b;c;d;5;arte;1\n\n"Four\nth?";a;b;c;d;D;arte;1\n'
    found = read(CSV + more + "Many?;a;b;c;d;1,3\nShort?;a;b\n", "CSV")
    assert [(draft.prompt.en, draft.row) for draft in found.taken] == [("River?", 2), ("Second?", 3), ("Four th?", 6)]
    assert refused(found) == [(4, "NO_RIGHT_OPTION"), (8, "SEVERAL_RIGHT_OPTIONS"), (9, "NOT_FOUR_OPTIONS")]


@pytest.mark.parametrize("text", ["", "question;answer\na;b\n", "\0\0", "a,b,c\n1,2,3\n", '"'])
def test_a_table_without_its_headings_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text, "CSV")


# ---------------------------------------------------------------- Open Trivia DB

QUESTION = 'What was the "Risorgimento" – la voglia d\'unità?'


def trivia_db(encode: object = html.escape, **fields: object) -> str:
    code = encode if callable(encode) else html.escape
    result = {
        "type": "multiple", "difficulty": "medium", "category": "History", "question": QUESTION,
        "correct_answer": "Unification", "incorrect_answers": ["A café", "A dance", "100% wool"], **fields,
    }  # fmt: skip
    coded = {k: [code(v) for v in value] if isinstance(value, list) else code(value) for k, value in result.items()}
    return json.dumps({"response_code": 0, "results": [coded]})


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: html.escape(text).replace("é", "&eacute;").replace("–", "&ndash;"),
        lambda text: quote(text, safe=""),
        lambda text: base64.b64encode(text.encode()).decode(),
    ],
    ids=["entities", "url3986", "base64"],
)
def test_open_trivia_in_its_three_encodings(encode: object) -> None:
    assert only(read(trivia_db(encode), "OPEN_TRIVIA", theme="")) == (
        QUESTION, ["Unification", "A café", "A dance", "100% wool"], 0,
    )  # fmt: skip
    assert read(trivia_db(encode), "OPEN_TRIVIA").taken[0].difficulty == 3


def test_entities_are_decoded_once() -> None:
    assert only(read(trivia_db(str, question="What is &amp;amp; for?"), "OPEN_TRIVIA"))[0] == "What is &amp; for?"


def test_yes_or_no_is_another_kind_of_question_and_a_refused_answer_no_file() -> None:
    found = read(trivia_db(str, type="boolean", incorrect_answers=["False"]), "OPEN_TRIVIA")
    assert refused(found) == [(1, "UNSUPPORTED")]
    with pytest.raises(Unreadable):
        read('{"response_code": 5, "results": []}', "OPEN_TRIVIA")
    assert refused(read('{"response_code": 0, "results": [{"type": 1}]}', "OPEN_TRIVIA")) == [(1, "UNREADABLE")]


# ---------------------------------------------------------------- GIFT

GIFT = """// a comment
$CATEGORY: top/History

::Q1:: Who led the Thousand? {
  =Garibaldi#yes
  ~Mazzini ~Cavour#no
  ~Pisacane
}

::open:: Tell us. {}

Two plus two is {=4 =four} anyway.

[html]What is 1 \\= 1 \\{really\\}? {~a ~b =c\\:d ~e}

The Po {~%50%ends ~%50%starts ~a ~b} there.

{TRUE}
"""


def test_gift_reads_the_questions_with_one_right_and_three_wrong_options() -> None:
    found = read(GIFT, "GIFT", theme="")
    first = found.taken[0]
    assert (first.prompt.en, first.theme, first.row) == ("Who led the Thousand?", "storia", 4)
    assert [option.en for option in first.options] == ["Garibaldi", "Mazzini", "Cavour", "Pisacane"]
    escaped = found.taken[1]
    assert (escaped.prompt.en, escaped.options[2].en, escaped.answer) == ("What is 1 = 1 {really}?", "c:d", 2)
    assert refused(found) == [
        (10, "UNSUPPORTED"), (12, "UNSUPPORTED"), (16, "SEVERAL_RIGHT_OPTIONS"), (18, "UNSUPPORTED"),
    ]  # fmt: skip


def test_a_blank_within_the_sentence_is_shown_as_one() -> None:
    assert only(read("The {=Po ~Arno ~Adige ~Tiber} is long.", "GIFT"))[0] == "The _____ is long."


@pytest.mark.parametrize("text", ["", "no braces at all", "{", "a {=b ~c", "x } y {"])
def test_what_has_no_question_is_no_gift(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text, "GIFT")


# ---------------------------------------------------------------- Aiken

AIKEN = """What is the capital
of Italy?
A. Milan
B) Rome
C. Turin
D. Bari
ANSWER: B

Without an answer?
A. a
B. b
"""


def test_aiken_reads_line_by_line() -> None:
    found = read(AIKEN, "AIKEN")
    (draft,) = found.taken
    assert (draft.prompt.en, draft.answer, [o.en for o in draft.options]) == (
        "What is the capital of Italy?", 1, ["Milan", "Rome", "Turin", "Bari"],
    )  # fmt: skip
    assert refused(found) == [(9, "NO_RIGHT_OPTION")]


@pytest.mark.parametrize(
    "text", ["", "just text", "Q?\nANSWER: A", "Q?\nB. b\nA. a\nANSWER: A", "Q?\nA. a\nnoise\nANSWER: A"]
)
def test_what_has_no_question_is_no_aiken(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text, "AIKEN")


def test_a_letter_that_is_no_option_is_no_right_one() -> None:
    text = AIKEN.replace("ANSWER: B", "ANSWER: E")
    assert refused(read(text, "AIKEN"))[0] == (1, "NO_RIGHT_OPTION")


# ---------------------------------------------------------------- Kahoot

ROW = ("Longest river?", "Po", "Adige", "Arno", "Tiber & more", 20, 1)


@pytest.mark.parametrize("shared", [True, False])
def test_kahoots_template_is_read(shared: bool) -> None:
    data = kahoot([ROW], shared=shared)
    assert only(read(data, "KAHOOT")) == ("Longest river?", ["Po", "Adige", "Arno", "Tiber & more"], 0)
    assert read(data, "KAHOOT").taken[0].row == 9


def test_numbers_come_as_floats_and_several_right_ones_are_refused_by_row() -> None:
    rows = [(*ROW[:6], 2.0), ("Two?", "a", "b", "c", "d", 20.0, "1,3"), ("Three?", "a", "b", "c", "", 20, 1), ("", "")]
    found = read(kahoot([*rows, ("Last?", "a", "b", "c", "d", 5, "4")]), "KAHOOT")
    assert [(draft.prompt.en, draft.answer, draft.row) for draft in found.taken] == [
        ("Longest river?", 1, 9), ("Last?", 3, 13),
    ]  # fmt: skip
    assert refused(found) == [(10, "SEVERAL_RIGHT_OPTIONS"), (11, "NOT_FOUR_OPTIONS")]


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<worksheet><sheetData><row><c r='A1' t='str'><v>&b;</v></c></row></sheetData></worksheet>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet>&a;</worksheet>'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04nonsense",
        kahoot([ROW])[:-30],
        package({"xl/worksheets/sheet1.xml": BOMB}),
        package({"xl/worksheets/sheet1.xml": OUTSIDE}),
        package({"xl/worksheets/sheet1.xml": "<worksheet>"}),
        package({"xl/worksheets/sheet1.xml": b"\xff\xfe\xfa"}),
        package({"xl/other.xml": "<a/>"}),
        package({"../../xl/worksheets/sheet1.xml": "<worksheet/>"}),
        package({f"xl/{n}.xml": "" for n in range(201)}),
        package({"xl/worksheets/sheet1.xml": b"<worksheet>" + b" " * 9_000_000}),
        package({"xl/worksheets/sheet1.xml": f'<worksheet {NAMESPACE}><c r="A1" t="s"><v>7</v></c></worksheet>'}),
        kahoot([]).replace(b"PK", b"XX"),
    ],
    ids=["empty", "no zip", "cut off", "entities", "a file outside", "half", "no text", "no sheet", "outside",
         "many files", "a bomb", "no string", "garbage"],
)  # fmt: skip
def test_a_sheet_from_somebody_who_means_harm_is_unreadable_and_nothing_more(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read(data, "KAHOOT")


def test_a_sheet_without_kahoots_headings_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        read(package({"xl/worksheets/sheet1.xml": f"<worksheet {NAMESPACE}><sheetData/></worksheet>"}), "KAHOOT")


# ---------------------------------------------------------------- whatever the format

FORMATS: tuple[FileFormat, ...] = ("AIKEN", "CSV", "GIFT", "JSON", "KAHOOT", "OPEN_TRIVIA")


@pytest.mark.parametrize("form", FORMATS)
def test_too_large_a_file_and_too_many_rows_are_unreadable(form: FileFormat) -> None:
    with pytest.raises(Unreadable):
        read(b"x" * (MAX_FILE + 1), form)


def test_no_more_than_two_thousand_rows_are_taken_at_a_time() -> None:
    with pytest.raises(Unreadable):
        read("[" + ",".join(["{}"] * (MAX_ROWS + 1)) + "]", "JSON")
    assert len(read("[" + ",".join(["{}"] * MAX_ROWS) + "]", "JSON").refused) == MAX_ROWS


@pytest.mark.parametrize("form", FORMATS)
def test_no_file_however_broken_does_more_than_be_refused(form: FileFormat) -> None:
    """Good files with bytes changed, cut and doubled at random."""
    good = {
        "AIKEN": AIKEN.encode(), "CSV": CSV.encode(), "GIFT": GIFT.encode(), "JSON": own().encode(),
        "KAHOOT": kahoot([ROW]), "OPEN_TRIVIA": trivia_db().encode(),
    }[form]  # fmt: skip
    chance = random.Random(form)
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(data) or 1)
            roll = chance.random()
            if roll < 0.5 and data:
                data[at] = chance.randrange(256)
            elif roll < 0.75:
                del data[at : at + chance.randrange(20)]
            else:
                data[at:at] = data[chance.randrange(len(data) or 1) :][: chance.randrange(30)]
        try:
            found = read(bytes(data), form)
        except Unreadable:
            continue
        assert all(isinstance(row, RefusedRow) for row in found.refused)
        for draft in found.taken:
            assert len(draft.options) == 4
            assert draft.answer in range(4)
