"""Brilli: what ranked matches pay, in double entry."""
