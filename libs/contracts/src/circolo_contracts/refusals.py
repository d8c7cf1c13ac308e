"""Why a command was not done: one closed list for every game and service.

A refusal is an answer. Nothing was stored, the same key may be used again, and the code never changes meaning.
"""

from __future__ import annotations

from enum import StrEnum


class RefusalCode(StrEnum):
    # --- the boundary: what was sent cannot be read
    MALFORMED = "MALFORMED"
    """A field is missing, of a wrong type or out of range; ``field`` names it."""
    INVALID_TEXT = "INVALID_TEXT"
    """Text with NUL, a lone surrogate, control or invisible characters, or of a wrong length."""
    UNKNOWN_COMMAND = "UNKNOWN_COMMAND"
    KEY_REUSED = "KEY_REUSED"
    """The idempotency key was used before for something else."""
    RATE_LIMITED = "RATE_LIMITED"
    UNAVAILABLE = "UNAVAILABLE"
    """The outcome is not known or the service is not reachable: repeat with the same key."""
    INTERNAL = "INTERNAL"
    """A fault of ours, which is in the log; nothing was stored."""
    # --- who asks
    UNAUTHENTICATED = "UNAUTHENTICATED"
    NOT_FOUND = "NOT_FOUND"
    NOT_ALLOWED = "NOT_ALLOWED"
    NOT_IN_ROOM = "NOT_IN_ROOM"
    NOT_HOST = "NOT_HOST"
    BANNED = "BANNED"
    """Not while the direction's ban lasts: ranked tables, chats."""
    # --- chat and reports
    MUTED = "MUTED"
    FIRST_TRICK = "FIRST_TRICK"
    """Who sits at a four-handed briscola says nothing before the deal's first trick is over."""
    REPORT_CLOSED = "REPORT_CLOSED"
    """The direction has decided it before."""
    # --- rooms
    ROOM_FULL = "ROOM_FULL"
    ROOM_CLOSED = "ROOM_CLOSED"
    GAME_STARTED = "GAME_STARTED"
    """Only possible in the lobby, and a game is on."""
    NO_GAME = "NO_GAME"
    SEAT_TAKEN = "SEAT_TAKEN"
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    NOT_A_CPU = "NOT_A_CPU"
    NO_SUCH_TEAM = "NO_SUCH_TEAM"
    SEATS_EMPTY = "SEATS_EMPTY"
    """Every seat needs a player or a CPU before the start."""
    UNKNOWN_GAME = "UNKNOWN_GAME"
    INVALID_SETTING = "INVALID_SETTING"
    NOT_RANKED = "NOT_RANKED"
    """This game has no ranked tables."""
    RANKED = "RANKED"
    """Not at a ranked table: a CPU player, ending the game for everybody."""
    TABLE_TOO_SMALL = "TABLE_TOO_SMALL"
    """A vote to expel needs at least three people at the table."""
    VOTE_DECIDED = "VOTE_DECIDED"
    """The others were unanimous: nothing can be taken back any more."""
    NO_REMATCH = "NO_REMATCH"
    """There is no game that these seats could play again: none was finished, or the table has changed since."""
    NOT_OFFERED = "NOT_OFFERED"
    """Nobody has offered a rematch, or it was taken back."""
    REMATCH_ONLY = "REMATCH_ONLY"
    """A ranked table that stays as it is plays on by a rematch, which every seat must accept."""
    # --- games, in the order in which they are tested (rules/decisions 4)
    NOT_IN_GAME = "NOT_IN_GAME"
    GAME_NOT_RUNNING = "GAME_NOT_RUNNING"
    GAME_NOT_OVER = "GAME_NOT_OVER"
    """Only possible when the game is over: till then its secrets are kept."""
    STALE_VERSION = "STALE_VERSION"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    LATE = "LATE"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"
    ILLEGAL_CAPTURE = "ILLEGAL_CAPTURE"
    CARD_NOT_ALLOWED = "CARD_NOT_ALLOWED"
    """In the hand, but this card may not be played now, whatever it would take."""
    MUST_FOLLOW_SUIT = "MUST_FOLLOW_SUIT"
    ILLEGAL_DECLARATION = "ILLEGAL_DECLARATION"
    """The hand does not hold it, it was declared before, or it is too late for it."""
    # --- the solitario, after GAME_NOT_RUNNING and STALE_VERSION
    CARD_NOT_FREE = "CARD_NOT_FREE"
    """It is covered, face down, not the top card, or not in the game any more: which of these is not said."""
    ILLEGAL_MOVE = "ILLEGAL_MOVE"
    """The cards are free, but this patience does not let them go there or together; or there is nothing to turn."""
    NO_REDEALS = "NO_REDEALS"
    """The stock is gone and the waste was turned over as often as the table's settings allow."""
    # --- the tombola, in the order in which they are tested: the host's calls, then marks and claims
    PAUSED = "PAUSED"
    """No number is called until the host resumes."""
    CALLED_AUTOMATICALLY = "CALLED_AUTOMATICALLY"
    """The clock calls the numbers now."""
    ALL_DRAWN = "ALL_DRAWN"
    """All ninety numbers were called; prizes may still be claimed."""
    NO_TICKET = "NO_TICKET"
    """Spectators and displays have none; nor does the draw board."""
    NOT_ON_YOUR_TICKET = "NOT_ON_YOUR_TICKET"
    ALREADY_WON_BY_YOU = "ALREADY_WON_BY_YOU"
    PRIZE_TAKEN = "PRIZE_TAKEN"
    """Somebody was first, at a table where the first accepted claim takes the prize."""
    NOT_ON_WINNING_DRAW = "NOT_ON_WINNING_DRAW"
    """The prize was won by an earlier draw than the one that gave it to this ticket."""
    NOT_SATISFIED = "NOT_SATISFIED"
    """The numbers drawn so far do not make this prize on one row of the ticket."""
    GAME_ENDED = "GAME_ENDED"
    """What nobody had won when the game ended has lapsed."""
    # --- trivia, in the order in which they are tested (rules/decisions 21)
    STALE_GAME = "STALE_GAME"
    """This game is over and the room plays another one."""
    STALE_QUESTION = "STALE_QUESTION"
    """Another question is on the table by now, or not yet."""
    WRONG_PHASE = "WRONG_PHASE"
    """Not in this phase of the game."""
    TEAM_LOCKED_OUT = "TEAM_LOCKED_OUT"
    """The team has had its try at this question."""
    BUZZER_LOCKED = "BUZZER_LOCKED"
    """Somebody was faster; the view says who."""
    TOO_EARLY = "TOO_EARLY"
    """Before the question's clock started, or within the short lock that follows such a press."""
    ANSWER_LOCKED = "ANSWER_LOCKED"
    """The first answer is final."""
    NOT_CAPTAIN = "NOT_CAPTAIN"
    NOT_YOUR_BUZZ = "NOT_YOUR_BUZZ"
    """Only who pressed the buzzer may answer."""
    STAKE_LOCKED = "STAKE_LOCKED"
    """The first stake is final."""
    BAD_OPTION = "BAD_OPTION"
    TILE_TAKEN = "TILE_TAKEN"
    """That tile was played, or the board has none such."""
    STAKE_OUT_OF_RANGE = "STAKE_OUT_OF_RANGE"
    """A stake is a whole number from 0 to what the team has."""
    NOT_ENOUGH_QUESTIONS = "NOT_ENOUGH_QUESTIONS"
    """The bank does not have as many of the chosen themes."""
    UNREADABLE_FILE = "UNREADABLE_FILE"
    """It is not of the format that was said, too large, or has nothing in it."""


MESSAGES: dict[RefusalCode, tuple[str, str]] = {
    RefusalCode.MALFORMED: ("La richiesta non si può leggere.", "The request cannot be read."),
    RefusalCode.INVALID_TEXT: (
        "Il testo contiene caratteri non ammessi o è di lunghezza sbagliata.",
        "The text has characters that are not allowed or a wrong length.",
    ),
    RefusalCode.UNKNOWN_COMMAND: ("Questa azione qui non esiste.", "There is no such action here."),
    RefusalCode.KEY_REUSED: (
        "Questa chiave è già servita per un'altra azione.",
        "This key was used before for another action.",
    ),
    RefusalCode.RATE_LIMITED: ("Troppe richieste: aspetta un momento.", "Too many requests: wait a moment."),
    RefusalCode.UNAVAILABLE: (
        "Il servizio non risponde: riprova con la stessa chiave.",
        "The service does not answer: try again with the same key.",
    ),
    RefusalCode.INTERNAL: (
        "È un nostro errore; non è stato salvato nulla.",
        "This is a fault of ours; nothing was stored.",
    ),
    RefusalCode.UNAUTHENTICATED: ("Prima bisogna entrare nel circolo.", "Sign in first."),
    RefusalCode.NOT_FOUND: ("Non esiste, o non è per te.", "It does not exist, or it is not for you."),
    RefusalCode.NOT_ALLOWED: ("Non ti è permesso.", "You may not do this."),
    RefusalCode.NOT_IN_ROOM: ("Non sei in questa stanza.", "You are not in this room."),
    RefusalCode.NOT_HOST: ("Solo il capotavolo può farlo.", "Only the host may do this."),
    RefusalCode.BANNED: (
        "La direzione ti ha escluso: per ora non puoi.",
        "The direction has banned you: not for now.",
    ),
    RefusalCode.MUTED: ("La direzione ti ha tolto la parola.", "The direction has muted you."),
    RefusalCode.FIRST_TRICK: (
        "Durante la prima mano chi è seduto al tavolo non parla.",
        "During the first trick who sits at the table does not talk.",
    ),
    RefusalCode.REPORT_CLOSED: ("La segnalazione è già chiusa.", "The report is closed already."),
    RefusalCode.ROOM_FULL: (
        "La stanza è piena; puoi entrare come spettatore.",
        "The room is full; you may enter as a spectator.",
    ),
    RefusalCode.ROOM_CLOSED: ("La stanza è chiusa.", "The room is closed."),
    RefusalCode.GAME_STARTED: ("La partita è già cominciata.", "The game has started."),
    RefusalCode.NO_GAME: ("In questa stanza non si sta giocando.", "No game is on in this room."),
    RefusalCode.SEAT_TAKEN: ("Il posto è occupato.", "The seat is taken."),
    RefusalCode.NO_SUCH_SEAT: ("Quel posto non c'è.", "There is no such seat."),
    RefusalCode.NOT_A_CPU: ("A quel posto non siede il computer.", "No CPU sits there."),
    RefusalCode.NO_SUCH_TEAM: ("Quella squadra non c'è.", "There is no such team."),
    RefusalCode.SEATS_EMPTY: ("Mancano ancora dei giocatori.", "Some seats are still empty."),
    RefusalCode.UNKNOWN_GAME: ("Il circolo non ha questo gioco.", "The house does not have this game."),
    RefusalCode.INVALID_SETTING: ("Un'impostazione non è ammessa.", "A setting is not allowed."),
    RefusalCode.NOT_RANKED: ("Questo gioco non ha tavoli di classifica.", "This game has no ranked tables."),
    RefusalCode.RANKED: ("A un tavolo di classifica non si può.", "This is not possible at a ranked table."),
    RefusalCode.TABLE_TOO_SMALL: (
        "Per estromettere un giocatore bisogna essere almeno in tre.",
        "Putting a player out needs a table of at least three.",
    ),
    RefusalCode.VOTE_DECIDED: ("La votazione è chiusa.", "The vote is closed."),
    RefusalCode.NO_REMATCH: (
        "A questo tavolo non c'è una partita di cui dare la rivincita.",
        "There is no game at this table to play again.",
    ),
    RefusalCode.NOT_OFFERED: ("Nessuno ha proposto la rivincita.", "Nobody has offered a rematch."),
    RefusalCode.REMATCH_ONLY: (
        "Qui si continua con la rivincita, se tutti accettano.",
        "This table plays on by a rematch, if everybody accepts.",
    ),
    RefusalCode.NOT_IN_GAME: ("Non siedi a questo tavolo.", "You do not sit at this table."),
    RefusalCode.GAME_NOT_RUNNING: ("La partita non è in corso.", "The game is not running."),
    RefusalCode.GAME_NOT_OVER: ("La partita non è ancora finita.", "The game is not over yet."),
    RefusalCode.STALE_VERSION: ("Nel frattempo il turno è cambiato.", "The turn has moved on meanwhile."),
    RefusalCode.NOT_YOUR_TURN: ("Non è il tuo turno.", "It is not your turn."),
    RefusalCode.LATE: ("Il tempo è scaduto.", "The time is over."),
    RefusalCode.CARD_NOT_IN_HAND: ("Quella carta non è nella tua mano.", "That card is not in your hand."),
    RefusalCode.ILLEGAL_CAPTURE: ("Quella presa non è ammessa.", "That capture is not allowed."),
    RefusalCode.CARD_NOT_ALLOWED: (
        "Adesso questa carta non si può giocare.",
        "This card may not be played now.",
    ),
    RefusalCode.MUST_FOLLOW_SUIT: ("Bisogna rispondere al seme.", "You must follow suit."),
    RefusalCode.ILLEGAL_DECLARATION: (
        "Questa accusa non si può fare.",
        "This declaration cannot be made.",
    ),
    RefusalCode.CARD_NOT_FREE: ("Quella carta non è libera.", "That card is not free."),
    RefusalCode.ILLEGAL_MOVE: ("Questa mossa non è ammessa.", "This move is not allowed."),
    RefusalCode.PAUSED: ("Le chiamate sono sospese.", "Calling is paused."),
    RefusalCode.CALLED_AUTOMATICALLY: (
        "Adesso i numeri escono da soli.",
        "The numbers are called automatically now.",
    ),
    RefusalCode.ALL_DRAWN: ("Sono usciti tutti i numeri.", "All numbers have been drawn."),
    RefusalCode.NO_TICKET: ("Non hai una cartella.", "You have no ticket."),
    RefusalCode.NOT_ON_YOUR_TICKET: (
        "Questo numero non è sulla tua cartella.",
        "This number is not on your ticket.",
    ),
    RefusalCode.ALREADY_WON_BY_YOU: ("Questo premio è già tuo.", "This prize is yours already."),
    RefusalCode.PRIZE_TAKEN: ("Il premio è già stato preso.", "The prize has been taken."),
    RefusalCode.NOT_ON_WINNING_DRAW: (
        "Il premio è andato con un'estrazione precedente.",
        "The prize went with an earlier draw.",
    ),
    RefusalCode.NOT_SATISFIED: (
        "Con i numeri usciti la tua cartella non fa questo premio.",
        "By the numbers drawn your ticket does not have this prize.",
    ),
    RefusalCode.GAME_ENDED: (
        "La partita è finita e nessuno ha vinto questo premio.",
        "The game is over and nobody has won this prize.",
    ),
    RefusalCode.STALE_GAME: ("Quella partita è finita: se ne gioca un'altra.", "That game is over: another one is on."),
    RefusalCode.STALE_QUESTION: ("Questa non è la domanda in corso.", "This is not the question on the table."),
    RefusalCode.WRONG_PHASE: ("In questo momento del gioco non si può.", "Not at this moment of the game."),
    RefusalCode.TEAM_LOCKED_OUT: (
        "La tua squadra ha già provato a rispondere a questa domanda.",
        "Your team has had its try at this question.",
    ),
    RefusalCode.BUZZER_LOCKED: ("Qualcuno è stato più svelto.", "Somebody was faster."),
    RefusalCode.TOO_EARLY: ("Troppo presto.", "Too early."),
    RefusalCode.ANSWER_LOCKED: ("Hai già risposto: vale la prima.", "You have answered: the first one counts."),
    RefusalCode.NOT_CAPTAIN: ("Decide il capitano della squadra.", "The team's captain decides."),
    RefusalCode.NOT_YOUR_BUZZ: ("Risponde chi ha premuto il pulsante.", "Whoever pressed the buzzer answers."),
    RefusalCode.STAKE_LOCKED: ("La puntata è già fatta.", "The stake is made."),
    RefusalCode.BAD_OPTION: ("Questa risposta non c'è.", "There is no such option."),
    RefusalCode.TILE_TAKEN: ("Quella casella non è libera.", "That tile is not free."),
    RefusalCode.STAKE_OUT_OF_RANGE: (
        "La puntata va da 0 ai punti della squadra.",
        "A stake goes from 0 to the team's points.",
    ),
    RefusalCode.NOT_ENOUGH_QUESTIONS: (
        "Non ci sono abbastanza domande sui temi scelti.",
        "There are not enough questions on the chosen themes.",
    ),
    RefusalCode.UNREADABLE_FILE: ("Il file non si può leggere.", "The file cannot be read."),
    RefusalCode.NO_REDEALS: (
        "Il pozzo non si può più rigirare.",
        "The waste cannot be turned over any more.",
    ),
}


def message(code: RefusalCode, language: str) -> str:
    """The refusal in the viewer's language (``IT`` or ``EN``; anything else is Italian)."""
    italian, english = MESSAGES[code]
    return english if language == "EN" else italian
