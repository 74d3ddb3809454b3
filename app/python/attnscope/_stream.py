"""A stream of attention calls to a window: a file in memory that both map, with a header and a ring of records.

The process writes and never waits; records that the window does not read in time are overwritten. The window's side is
core/watch (watch_format.hpp has the same numbers).
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
import stat
import threading
import time
from typing import Any, Callable, Dict, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from ._program import Error

# The arrays that a window may request, as bits.
QKV, MASK, OUTPUT = 1, 2, 4

_header_bytes = 4096
_facts_at = 1024
_magic = b"ATTNWTCH"
_version = 1
_record_magic = 0x52575441
_filler, CALL, END_OF_PASS = 0, 1, 2
_least_ring, _alignment = 1 << 20, 64
_patience = 2_000_000_000  # nanoseconds after which a window that did not look is none
# Numbers of the header, by their index among its u64.
_reserved, _written, _records, _closed, _too_large, _facts_bytes = 5, 6, 7, 8, 9, 10
_window_pid, _window_looked, _window_wanted, _window_whole = 16, 17, 18, 19
_numbers = itertools.count()


class Blob(NamedTuple):
    """An array of a record. ``fill`` writes it in row-major order into the given bytes."""

    dtype: str  # F32, F16, BF16, I64 or BOOL
    shape: Sequence[int]
    fill: Callable[[np.ndarray], None]

    def bytes(self) -> int:
        size = {"F32": 4, "F16": 2, "BF16": 2, "I64": 8, "BOOL": 1}[self.dtype]
        for one in self.shape:
            size *= one
        return size


def watch_folder() -> str:
    """The folder of streams, which only its owner can read. Created if it does not exist. Raises Error."""
    folder = os.environ.get("ATTNSCOPE_WATCH_FOLDER", "")
    if not folder:
        own, runtime = "attnscope-%d" % os.geteuid(), os.environ.get("XDG_RUNTIME_DIR", "")
        if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK | os.X_OK):
            folder = "/dev/shm/" + own
        else:
            folder = os.path.join(runtime, "attnscope") if runtime else "/tmp/" + own
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except FileExistsError:
        pass  # said below
    except OSError as error:
        raise Error("Cannot make the folder \"%s\": %s." % (folder, error.strerror)) from None
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise Error("\"%s\" is a link or a file, expected a folder of your own." % folder)
    if found.st_uid != os.geteuid():
        raise Error("\"%s\" belongs to another user, expected a folder of your own." % folder)
    if found.st_mode & 0o022:
        raise Error("\"%s\" can be written by others, expected a folder of your own." % folder)
    return folder


def _start_time() -> int:
    """The start time of this process from /proc/PID/stat; 0 if that cannot be read."""
    try:
        with open("/proc/self/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[22 - 3])
    except (OSError, IndexError, ValueError):
        return 0


def _aligned(size: int) -> int:
    return -(-size // _alignment) * _alignment


def _json_of(facts: Mapping[str, Any]) -> bytes:
    """The facts as JSON that fits into the header; lists are left out if there is too little room."""
    text = json.dumps(facts).encode()
    if len(text) <= _header_bytes - _facts_at:
        return text
    text = json.dumps({name: value for name, value in facts.items() if not isinstance(value, list)}).encode()
    return text if len(text) <= _header_bytes - _facts_at else b"{}"


def _laid_out(fields: Mapping[str, Any], blobs: Mapping[str, Blob]) -> Tuple[bytes, Dict[str, int], int]:
    """A record's JSON, the offsets of its arrays, and its size in bytes."""
    first = 768  # enough for the JSON of most
    while True:
        offset, places = first, {}
        described: Dict[str, Any] = dict(fields)
        for name, blob in blobs.items():
            places[name] = offset
            described[name] = {"dtype": blob.dtype, "shape": blob.shape, "offset": offset}
            offset += _aligned(blob.bytes())
        text = json.dumps(described).encode()
        if _alignment + len(text) <= first:
            return text, places, offset
        first = _aligned(2 * _alignment + len(text))  # offsets may have a digit more then


class Stream:
    """The writer's side of a stream. Safe to use from several threads; in a child made by fork() it does nothing."""

    def __init__(self, facts: Mapping[str, Any], ring: int) -> None:
        """``ring``: bytes for records; fewer if memory for shared files is short. Raises Error."""
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._number = self._at = 0
        self._file = -1
        folder = watch_folder()
        while True:
            name = "watch-%d-%d.attnwatch" % (self.owner, next(_numbers))
            self.path = os.path.join(folder, name)
            unfinished = os.path.join(folder, ".%s.new" % name)
            if os.path.lexists(self.path):
                continue  # of a process that had the same number
            try:
                self._file = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
                break
            except FileExistsError:
                continue
            except OSError as error:
                raise Error("Cannot write \"%s\": %s." % (unfinished, error.strerror)) from None
        try:
            self.capacity = self._make_room(max(_least_ring, _aligned(ring)))
            self._map = mmap.mmap(self._file, _header_bytes + self.capacity)
            self._words = np.frombuffer(self._map, np.uint64, _header_bytes // 8)
            self._ring = np.frombuffer(self._map, np.uint8, self.capacity, _header_bytes)
            self._write_header(_json_of(facts))
            os.rename(unfinished, self.path)
        except OSError as error:
            os.close(self._file)
            os.unlink(unfinished)
            raise Error("Cannot write \"%s\": %s." % (self.path, error.strerror or error)) from None

    def _make_room(self, capacity: int) -> int:
        # Allocates the memory now: a write to a full file system would end the process in the middle of a pass.
        while True:
            try:
                os.posix_fallocate(self._file, 0, _header_bytes + capacity)
                return capacity
            except OSError:
                os.ftruncate(self._file, 0)
                if capacity // 2 < _least_ring:
                    raise
                capacity = _aligned(capacity // 2)

    def _write_header(self, facts: bytes) -> None:
        header = np.frombuffer(self._map, np.uint8, _header_bytes)
        header[:len(_magic)] = np.frombuffer(_magic, np.uint8)
        header[_facts_at:_facts_at + len(facts)] = np.frombuffer(facts, np.uint8)
        self._words[1:5] = [_version, self.capacity, self.owner, _start_time()]
        self._words[_facts_bytes] = len(facts)

    def is_usable(self) -> bool:
        """Whether a record can be written: not closed, in the process that made it, and the file was not truncated."""
        if self._file < 0 or os.getpid() != self.owner:
            return False
        try:
            return os.fstat(self._file).st_size >= _header_bytes + self.capacity
        except OSError:
            return False

    def has_reader(self) -> bool:
        """Whether a window has looked within the last two seconds."""
        if not self.is_usable() or not self._words[_window_pid]:
            return False
        return abs(time.monotonic_ns() - int(self._words[_window_looked])) < _patience

    def wanted(self) -> int:
        """The bits of what the window requests: QKV, MASK, OUTPUT."""
        return int(self._words[_window_wanted]) or QKV | MASK

    def reader(self) -> Tuple[int, int]:
        """Changes when another window looks, or when it wants the next call of each layer whole."""
        return int(self._words[_window_pid]), int(self._words[_window_whole])

    def too_large(self) -> int:
        """The number of calls that were not sent since their record is larger than the ring."""
        return int(self._words[_too_large]) if self._file >= 0 else self._too_large_before

    _too_large_before = 0

    def write(self, kind: int, fields: Mapping[str, Any], blobs: Mapping[str, Blob]) -> bool:
        """Writes a record; False if it is larger than the ring, or the stream is closed."""
        with self._lock:
            if self._file < 0:
                return False
            text, places, offset = _laid_out(fields, blobs)
            if offset > self.capacity:
                self._words[_too_large] += np.uint64(1)
                return False
            room = self.capacity - self._at % self.capacity
            filler = room if offset > room else 0
            end = self._at + filler + offset
            self._words[_reserved] = end  # before a byte is written
            if filler:
                self._write_head(self._at, _filler, filler, 0)
            self._write_record(self._at + filler, offset, kind, text, [(places[name], blobs[name]) for name in blobs])
            self._at = end
            return True

    def _write_head(self, at: int, kind: int, size: int, json_bytes: int) -> None:
        place = at % self.capacity
        self._ring[place:place + 8].view(np.uint32)[:] = [_record_magic, kind]
        self._ring[place + 8:place + 24].view(np.uint64)[:] = [size, self._number]
        self._ring[place + 24:place + 64].view(np.uint32)[:] = [json_bytes, *([0] * 9)]

    def _write_record(self, at: int, size: int, kind: int, text: bytes, blobs: Sequence[Tuple[int, Blob]]) -> None:
        place = at % self.capacity
        try:
            self._write_head(at, kind, size, len(text))
            self._ring[place + 64:place + 64 + len(text)] = np.frombuffer(text, np.uint8)
            for offset, blob in blobs:
                if blob.bytes():
                    blob.fill(self._ring[place + offset:place + offset + blob.bytes()])
        except BaseException:
            self._write_head(at, _filler, size, 0)  # what was reserved has to become something that can be read
            raise
        else:
            self._number += 1
            self._words[_records] = self._number
        finally:
            self._at = at + size
            self._words[_written] = self._at  # once it is whole

    def close(self) -> None:
        """Ends the stream and removes its file, in the process that made it. May be called again."""
        if os.getpid() != self.owner:
            return  # nor is the lock of use here: another thread of the parent may hold it for ever
        with self._lock:
            if self._file < 0:
                return
            if self.is_usable():
                self._too_large_before = int(self._words[_too_large])
                self._words[_closed] = 1
            os.close(self._file)
            self._file = -1
            del self._words, self._ring
            try:
                self._map.close()
            except BufferError:
                pass  # a view of it lives still: unmapped with the last one
            try:
                os.unlink(self.path)
            except OSError:
                pass
