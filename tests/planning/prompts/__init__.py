"""Labelled prompts (development and held out) and the data samples that they speak of."""
