"""What everything shares: the words of a question's journey, the errors, the settings, the clock."""
