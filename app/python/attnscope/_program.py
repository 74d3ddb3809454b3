"""Finds the program and calls it."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import NoReturn, Sequence


class Error(RuntimeError):
    """One sentence that tells what the program refuses or cannot do."""


def version() -> str:
    """The version of the installed package; "0" in a source tree."""
    from importlib import metadata
    try:
        return metadata.version("attnscope")
    except metadata.PackageNotFoundError:
        return "0"


def program() -> str:
    """The path of the program: ``$ATTNSCOPE_PROGRAM``, else the one in the package, else a source tree's build."""
    named = os.environ.get("ATTNSCOPE_PROGRAM")
    here = pathlib.Path(__file__).resolve().parent
    places = [pathlib.Path(named)] if named else [
        here / "bin" / "attnscope", here.parents[2] / "build" / "release" / "attnscope"]
    for place in places:
        if os.access(place, os.X_OK) and place.is_file():
            return str(place)
    raise Error("The program attnscope is missing; looked in: %s; ATTNSCOPE_PROGRAM may name another place."
                % ", ".join('"%s"' % place for place in places))


def sentence(stderr: str, otherwise: str) -> str:
    """The program's last sentence on stderr, without its name in front."""
    lines = [line for line in stderr.replace("\r", "\n").splitlines() if line.strip()]
    if not lines:
        return otherwise
    said = [line[len("attnscope: "):] for line in lines if line.startswith("attnscope: ")]
    return said[-1] if said else lines[-1]


def call(arguments: Sequence[str]) -> str:
    """Runs the program to its end and returns what it wrote on its standard output. Raises Error."""
    done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Error(sentence(done.stderr.decode("utf-8", "replace"),
                             "attnscope ended with %d and said nothing." % done.returncode))
    return done.stdout.decode("utf-8", "replace")


def main() -> NoReturn:
    """The command line: this process becomes the program."""
    try:
        path = program()
        os.execv(path, ["attnscope", *sys.argv[1:]])
    except (Error, OSError) as error:
        sys.exit("attnscope: %s" % error)
