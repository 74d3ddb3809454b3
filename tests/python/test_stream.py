"""The stream that watch() writes, without PyTorch: header, records, ring, folder."""

import os
import stat
import subprocess
import sys
import unittest

import numpy as np

import attnscope
from attnscope._stream import CALL, END_OF_PASS, MASK, OUTPUT, QKV, Blob, Stream, watch_folder
from stream import Reader
from support import Case


def blob(array):
    def fill(place):
        place[:] = np.ascontiguousarray(array).view(np.uint8).reshape(-1)

    return Blob({"f4": "F32", "i8": "I64", "b1": "BOOL"}[array.dtype.str[1:]], array.shape, fill)


class Streams(Case):
    def setUp(self):
        super().setUp()
        self.set_variable("ATTNSCOPE_WATCH_FOLDER", self.path("watch"))

    def stream(self, ring=1 << 20, **facts):
        stream = Stream(facts, ring)
        self.addCleanup(stream.close)
        return stream

    def test_the_header_says_who_writes(self):
        stream = self.stream(module="Mäuse", layers=3, names=["x" * 4000])
        self.assertEqual(os.path.basename(stream.path).split("-")[:2], ["watch", str(os.getpid())])
        self.assertEqual(stat.S_IMODE(os.stat(stream.path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("watch")).st_mode), 0o700)
        reader = Reader(stream.path)
        self.assertEqual(reader.facts, {"module": "Mäuse", "layers": 3})
        self.assertEqual((reader.word(24), reader.word(40), reader.word(48)), (os.getpid(), 0, 0))
        with open("/proc/self/stat", encoding="ascii") as file:
            self.assertEqual(reader.word(32), int(file.read().rpartition(")")[2].split()[19]))

    def test_records_come_out_as_they_went_in(self):
        stream = self.stream()
        reader = Reader(stream.path)
        q = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)
        self.assertTrue(stream.write(CALL, {"pass": 0, "name": "ä"}, {"q": blob(q), "k": blob(q[:, :, :0])}))
        self.assertTrue(stream.write(END_OF_PASS, {"pass": 0, "tokens": ["x" * 9000]}, {"ids": blob(np.array([[1, 2]]))}))
        call, end = reader.poll()
        np.testing.assert_array_equal(call["q"], q)
        self.assertEqual((call["k"].shape, call["name"], call["number"], call["end"]), ((1, 2, 0, 4), "ä", 0, False))
        self.assertEqual((end["ids"].tolist(), end["number"], end["end"]), ([[1, 2]], 1, True))
        self.assertEqual(reader.poll(), [])

    def test_a_ring_goes_round(self):
        stream = self.stream()
        reader = Reader(stream.path)
        random = np.random.default_rng(1)
        for i in range(300):
            array = random.normal(size=int(random.integers(1, 120000))).astype(np.float32)
            stream.write(CALL, {"pass": i}, {"q": blob(array)})
            (record,) = reader.poll()
            np.testing.assert_array_equal(record["q"], array)
        self.assertEqual((reader.dropped, reader.word(56)), (0, 300))
        self.assertGreater(reader.cursor, 20 * reader.capacity)

    def test_what_is_not_read_is_overwritten_and_counted(self):
        stream = self.stream()
        reader = Reader(stream.path)
        array = np.zeros(50000, np.float32)
        for i in range(8):
            stream.write(CALL, {"pass": i}, {"q": blob(array)})
        whole = reader.word(152)
        self.assertEqual(reader.poll(), [])
        self.assertEqual(reader.word(152), whole + 1)
        reader.expected = 0
        stream.write(CALL, {"pass": 8}, {"q": blob(array)})
        self.assertEqual([one["pass"] for one in reader.poll()], [8])
        self.assertEqual(reader.dropped, 8)

    def test_a_record_larger_than_the_ring_is_not_sent(self):
        stream = self.stream()
        reader = Reader(stream.path)
        self.assertFalse(stream.write(CALL, {}, {"q": blob(np.zeros(1 << 18, np.float32))}))
        self.assertTrue(stream.write(CALL, {}, {"q": blob(np.zeros((1 << 18) - 1024, np.float32))}))
        self.assertEqual((stream.too_large(), reader.word(72), len(reader.poll())), (1, 1, 1))

    def test_a_record_that_cannot_be_written_leaves_the_stream_readable(self):
        stream = self.stream()
        reader = Reader(stream.path)

        def fail(place):
            raise MemoryError("no")

        with self.assertRaises(MemoryError):
            stream.write(CALL, {}, {"q": Blob("F32", (100,), fail)})
        stream.write(CALL, {"pass": 1}, {})
        self.assertEqual([(one["pass"], one["number"]) for one in reader.poll()], [(1, 0)])

    def test_a_window_looks_or_does_not(self):
        stream = self.stream()
        self.assertFalse(stream.has_reader())
        reader = Reader(stream.path)
        self.assertTrue(stream.has_reader())
        self.assertEqual(stream.wanted(), QKV | MASK)
        reader.look(0)
        self.assertEqual(stream.wanted(), QKV | MASK)
        reader.look(5)
        self.assertEqual(stream.wanted(), QKV | OUTPUT)
        before = stream.reader()
        reader.ask_for_whole()
        self.assertNotEqual(stream.reader(), before)
        os.truncate(stream.path, 4096)
        self.assertFalse(stream.has_reader())
        self.assertFalse(stream.is_usable())

    def test_closing_says_so_and_removes_the_file(self):
        stream = self.stream()
        reader = Reader(stream.path)
        stream.close()
        stream.close()
        self.assertEqual(reader.word(64), 1)
        self.assertEqual(os.listdir(self.path("watch")), [])
        self.assertFalse(stream.has_reader())
        self.assertFalse(stream.write(CALL, {}, {}))

    def test_folders_are_ones_own(self):
        os.mkdir(self.path("open"))
        os.symlink(self.path("open"), self.path("link"))
        os.chmod(self.path("open"), 0o777)
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        for name, said in (("link", "a link or a file"), ("open", "written by others"), ("file", "a link or a file"),
                           ("file/below", "Cannot make the folder")):
            os.environ["ATTNSCOPE_WATCH_FOLDER"] = self.path(name)
            with self.refused(said):
                watch_folder()
        del os.environ["ATTNSCOPE_WATCH_FOLDER"]
        self.assertIn(os.path.dirname(watch_folder()), ("/dev/shm", os.environ["XDG_RUNTIME_DIR"]))

    def test_files_of_a_process_that_had_this_number_are_left(self):
        first = self.stream()
        folder, name = os.path.split(first.path)
        number = int(name.split("-")[2].split(".")[0])
        stem = "watch-%d-%d.attnwatch"
        for taken in (stem % (os.getpid(), number + 1), "." + stem % (os.getpid(), number + 2) + ".new"):
            os.symlink("/nowhere", os.path.join(folder, taken))
        self.assertEqual(os.path.basename(self.stream().path), stem % (os.getpid(), number + 3))

    def test_a_ring_that_does_not_fit_is_smaller(self):
        from unittest import mock
        original = os.posix_fallocate

        def scarce(file, first, size):
            if size > 3 << 20:
                raise OSError(28, "No space left on device")
            original(file, first, size)

        with mock.patch("os.posix_fallocate", scarce):
            self.assertEqual(self.stream(16 << 20).capacity, 2 << 20)
        with mock.patch("os.posix_fallocate", side_effect=OSError(28, "No space left on device")):
            with self.refused("No space left on device"):
                self.stream()
        self.assertEqual(len(os.listdir(self.path("watch"))), 1)

    def test_what_is_no_module_of_pytorch_is_refused_without_reading_pytorch(self):
        code = ("import sys, attnscope\n"
                "try:\n    attnscope.watch([])\n"
                "except attnscope.Error as error:\n    print(error)\n"
                "assert 'torch' not in sys.modules")
        said = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE).stdout.decode()
        self.assertEqual(said.strip(), "A list cannot be watched: a torch.nn.Module can.")
        self.assertIn("watch", dir(attnscope))


if __name__ == "__main__":
    unittest.main()
