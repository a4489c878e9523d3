"""Reads the traces of SerialQueue."""
