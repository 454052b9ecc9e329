"""Gnomon."""
