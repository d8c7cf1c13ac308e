"""The read models of Circolo: the lobby and the rooms."""
