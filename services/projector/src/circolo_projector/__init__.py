"""The read models of Circolo: lobby and rooms, matches and standings, balances."""
