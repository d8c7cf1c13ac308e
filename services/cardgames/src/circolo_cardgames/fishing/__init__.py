"""What scopa, scopa d'assi and both scoponi share: a card fishes equal cards or sums from the table."""
