"""The process behind a Model."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any, Dict, Mapping, Optional

from . import _program


class Process:
    """A running ``attnscope serve``: one line per request, one line per answer. It ends at the end of its input."""

    def __init__(self, model: str) -> None:
        program = _program.program()
        self.owner = os.getpid()
        self.complained = tempfile.TemporaryFile()
        # In a session of its own: Ctrl-C goes to Python only, which then cancels the request.
        self.child = subprocess.Popen([program, "serve", model], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=self.complained, start_new_session=True)
        assert self.child.stdin is not None and self.child.stdout is not None
        self.to, self.back = self.child.stdin.fileno(), self.child.stdout.fileno()
        self.heard = bytearray()
        self.cut_short = False  # a request was written in part: nothing can follow it

    def is_usable(self) -> bool:
        return self.owner == os.getpid() and not self.cut_short and self.child.poll() is None

    def write(self, request: Mapping[str, Any]) -> None:
        line = memoryview((json.dumps(request) + "\n").encode())
        self.cut_short = True
        while line:
            line = line[os.write(self.to, line):]
        self.cut_short = False

    def read(self) -> Optional[Dict[str, Any]]:
        """The next answer; None at the end."""
        while True:
            end = self.heard.find(b"\n")
            if end >= 0:
                line = bytes(self.heard[:end])
                del self.heard[:end + 1]
                try:
                    return json.loads(line)  # type: ignore[no-any-return]
                except ValueError:
                    continue  # the rest of a line of which an interruption took the beginning
            piece = os.read(self.back, 1 << 20)
            if not piece:
                return None
            self.heard += piece

    def last_words(self) -> str:
        self.complained.seek(0)
        said = self.complained.read().decode("utf-8", "replace")
        return _program.sentence(said, "attnscope ended with %s and said nothing." % self.child.wait())

    def end(self) -> None:
        """Closes its input, which ends it. A child made by fork() only closes its own ends of the pipes."""
        mine = self.owner == os.getpid()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass
        self.complained.close()
        if not mine:
            self.child.returncode = 0  # not our child: this process does not wait for it
            return
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
