"""The family of tressette and vinciperdi: suit must be followed and the three is the highest card."""
