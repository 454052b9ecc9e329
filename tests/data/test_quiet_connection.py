"""No connection draws a bar over the terminal of whoever started the program."""

import os
import pty
import subprocess
import sys

CODE = """
from gnomon.core import Settings
from gnomon.data import open_sources
from gnomon.data.connection import in_memory
with open_sources({"t": [{"a": 1}]}, settings=Settings.load()) as data:
    for c in (data.connection, data.cursor(), in_memory()):
        print("bar:", c.execute("SELECT current_setting('enable_progress_bar')").fetchone()[0])
"""


def test_no_bar_is_drawn_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    run = subprocess.run(
        [sys.executable, "-c", CODE], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, check=False
    )
    os.close(theirs)
    said = os.read(ours, 10_000).decode()
    os.close(ours)
    assert said.split("\r\n")[:3] == ["bar: False"] * 3, run.stderr.decode()
