"""One job, several game servers: two players, forty cards, every card checked by the server, each sees only his own."""
