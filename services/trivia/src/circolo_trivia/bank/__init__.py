"""The question bank: what a question must be, where questions come from, and which ones a night gets."""
