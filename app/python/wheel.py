"""The Python package with the program and its assets in it, for pip, pipx and uvx; `app/package wheel` calls it with a
program that runs on other systems, too.

    python3 app/python/wheel.py [--program build/release/attnscope] [--assets assets] [--out build/packages]
                                [--version VERSION] [--licences FOLDER]
                                [--keep-symbols] [--level 1]

Writes attnscope-VERSION-py3-none-manylinux_G_m_x86_64.whl; G_m is the C library that the program asks for. A program
that needs libraries which other systems do not have (fmt, HarfBuzz …) makes a wheel with the tag linux_x86_64, for
this machine alone, and says so. Needs no network, and nothing but Python and binutils; the same inputs give the same
bytes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from typing import Dict, List, Optional, Tuple

root = pathlib.Path(__file__).resolve().parents[2]

# The libraries that PEP 600 allows a wheel to use from the system, and those that this program loads itself.
on_every_system = re.compile(
    r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+|GL|EGL|OpenGL|GLX|X11|Xext|Xrender))\.so(\.\d+)*$")
not_for_the_program = {"pictures"}  # of assets: they belong to the README.md files

summary = "An oscilloscope for self-attention"


class Refusal(Exception):
    """One sentence that tells what is missing."""


def read_elf(program: pathlib.Path) -> str:
    try:
        return subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", str(program)], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    except FileNotFoundError:
        raise Refusal("readelf is missing (package binutils).") from None
    except subprocess.CalledProcessError:
        raise Refusal('"%s" is not a program.' % program) from None


def platform_of(program: pathlib.Path) -> Tuple[str, List[str]]:
    """The platform tag of the wheel, and the needed libraries that other machines may not have."""
    told = read_elf(program)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", told)
    foreign = [name for name in needed if not on_every_system.match(name)]
    machine = platform.machine().lower()
    if foreign:
        return "linux_" + machine, foreign
    versions = [tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", told)]
    major, minor = max([(2, 17), *((one[0], one[1]) for one in versions)])
    return "manylinux_%d_%d_%s" % (major, minor, machine), []


def stripped(program: pathlib.Path) -> bytes:
    with tempfile.NamedTemporaryFile() as file:
        try:
            subprocess.run(["strip", "-o", file.name, str(program)], check=True)
        except FileNotFoundError:
            return program.read_bytes()
        return pathlib.Path(file.name).read_bytes()


def version_here() -> str:
    found = re.search(r"project\(attnscope VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))
    if not found:
        raise Refusal("CMakeLists.txt names no version.")
    return found.group(1)


def contents(program: pathlib.Path, assets: pathlib.Path, keep_symbols: bool) -> Dict[str, Tuple[bytes, int]]:
    """Name -> bytes and mode."""
    files: Dict[str, Tuple[bytes, int]] = {}
    package = root / "app/python/attnscope"
    for path in sorted(package.iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            files["attnscope/" + path.name] = (path.read_bytes(), 0o644)
    files["attnscope/bin/attnscope"] = (program.read_bytes() if keep_symbols else stripped(program), 0o755)
    # The program finds its assets in share/attnscope beside its own folder.
    for path in sorted(assets.rglob("*")):
        inner = path.relative_to(assets)
        if path.is_file() and path.name != "README.md" and inner.parts[0] not in not_for_the_program:
            files["attnscope/share/attnscope/" + inner.as_posix()] = (path.read_bytes(), 0o644)
    return files


def add_dist_info(files: Dict[str, Tuple[bytes, int]], version: str, tag: str,
                  licences: Optional[pathlib.Path]) -> None:
    info = "attnscope-%s.dist-info/" % version
    metadata = ("Metadata-Version: 2.1\nName: attnscope\nVersion: %s\nSummary: %s\nRequires-Python: >=3.9\n"
                "Requires-Dist: numpy\nClassifier: Operating System :: POSIX :: Linux\nClassifier: Typing :: Typed\n"
                "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence\n"
                "Description-Content-Type: text/markdown\n\n%s\n"
                % (version, summary, (root / "app/python/README.md").read_text(encoding="utf-8")))
    wheel = "Wheel-Version: 1.0\nGenerator: attnscope\nRoot-Is-Purelib: false\nTag: py3-none-%s\n" % tag
    for name, text in (("METADATA", metadata), ("WHEEL", wheel), ("top_level.txt", "attnscope\n"),
                       ("entry_points.txt", "[console_scripts]\nattnscope = attnscope._program:main\n")):
        files[info + name] = (text.encode(), 0o644)
    for path in sorted(licences.iterdir()) if licences else ():
        files[info + "licenses/" + path.name] = (path.read_bytes(), 0o644)
    record = "".join("%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest())
                                            .rstrip(b"=").decode(), len(data)) for name, (data, _) in files.items())
    files[info + "RECORD"] = ((record + info + "RECORD,,\n").encode(), 0o644)


def time_of_files() -> Tuple[int, int, int, int, int, int]:
    """SOURCE_DATE_EPOCH if it is set, else a fixed date, so that the same inputs give the same bytes."""
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not told.isdigit() or int(told) < 315532800:  # ZIP begins in 1980
        return 2020, 1, 1, 0, 0, 0
    when = time.gmtime(int(told))
    return when.tm_year, when.tm_mon, when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec


def write_wheel(files: Dict[str, Tuple[bytes, int]], out: pathlib.Path, level: int) -> None:
    unfinished = out.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, time_of_files())
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    unfinished.replace(out)


def main() -> int:
    parser = argparse.ArgumentParser("app/package wheel", description="The Python package as a wheel.")
    parser.add_argument("--program", type=pathlib.Path, default=root / "build/release/attnscope")
    parser.add_argument("--assets", type=pathlib.Path, default=root / "assets")
    parser.add_argument("--out", type=pathlib.Path, default=root / "build/packages", help="the folder it goes to")
    parser.add_argument("--version", default=None, help="that of CMakeLists.txt when not given")
    parser.add_argument("--licences", type=pathlib.Path, default=None,
                        help="a folder with those of the libraries in the program")
    parser.add_argument("--keep-symbols", action="store_true", help="the program is not stripped")
    parser.add_argument("--level", type=int, choices=range(1, 10), default=9, metavar="1..9",
                        help="of compression; 1 is quick")
    asked = parser.parse_args()
    try:
        if not asked.program.is_file():
            raise Refusal('"%s" is missing: build the program first (app/run).' % asked.program)
        if not (asked.assets / "examples").is_dir():
            raise Refusal('"%s" holds no assets.' % asked.assets)
        tag, foreign = platform_of(asked.program)
        version = asked.version or version_here()
        files = contents(asked.program, asked.assets, asked.keep_symbols)
        add_dist_info(files, version, tag, asked.licences)
        asked.out.mkdir(parents=True, exist_ok=True)
        out = asked.out / ("attnscope-%s-py3-none-%s.whl" % (version, tag))
        write_wheel(files, out, asked.level)
    except (Refusal, OSError) as refusal:
        print("app/package wheel: %s" % refusal, file=sys.stderr)
        return 1
    if foreign:
        print("For this machine alone: the program needs %s." % ", ".join(foreign), file=sys.stderr)
    print("%s  %.1f MB, %.1f MB installed" % (out, out.stat().st_size / 1e6, sum(len(d) for d, _ in files.values()) / 1e6))
    return 0


if __name__ == "__main__":
    sys.exit(main())
