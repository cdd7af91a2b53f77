"""All sessions as tables for other programs, and back: one row per answer, one per respondent."""
