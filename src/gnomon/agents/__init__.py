"""Who does the work: from a reading of a question to an answer that is told."""
