import os
import shutil
import stat
import subprocess
import sys
import time
import unittest


import attnscope
from attnscope import _window
from support import Case, display, wait_until, weights, write_letters_gpt


def titles(screen):
    """Of all windows there."""
    listed = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "AttnScope"], stdout=subprocess.PIPE,
                            env={**os.environ, "DISPLAY": screen}, check=False).stdout.split()
    return [subprocess.run(["xdotool", "getwindowname", one], stdout=subprocess.PIPE, check=False).stdout.decode().strip()
            for one in listed]


class WithoutADisplay(Case):
    def test_it_is_said_that_there_is_no_display(self):
        for obj in (weights(2, 4, 4), self.folder):
            with self.refused("no display"):
                attnscope.show(obj)

    def test_what_cannot_be_shown_is_said_first(self):
        with self.refused("No such file"):
            attnscope.show(self.path("missing.npz"))
        with self.refused("nothing that can be shown"):
            attnscope.show(object())

    def test_what_a_path_says_itself_is_refused(self):
        for named in ({"tokens": ["a"]}, {"causal": True}, {"scale": "off"}, {"title": "x"}, {"positions_applied": True}):
            with self.assertRaisesRegex(ValueError, "%s is given beside a path" % list(named)[0]):
                attnscope.show(self.path("missing.npz"), **named)
        with self.assertRaisesRegex(ValueError, "tokenizer is given, but no tokens"):
            attnscope.show([], tokenizer=object())

    def test_files_are_kept_for_their_owner_and_not_for_ever(self):
        dump = _window.dump_of(weights(2, 4, 4))
        first = _window.write_shown(dump, "a/b: c")
        self.assertEqual(os.path.basename(first), "a-b- c.safetensors")
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(first)).st_mode), 0o700)
        for _ in range(_window._kept):
            _window.write_shown(dump, "more")
        folder = os.path.dirname(os.path.dirname(first))
        self.assertEqual(len(os.listdir(folder)), _window._kept)


class InAWindow(Case):
    def setUp(self):
        super().setUp()
        if not shutil.which("xdotool"):
            self.skipTest("xdotool is not installed")
        context = display()
        self.screen = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.addCleanup(self.end_windows)

    def end_windows(self):
        for child in _window._children:
            child.terminate()
            child.wait()
        _window._children.clear()

    def test_a_second_call_goes_to_the_same_window(self):
        begin = time.monotonic()
        attnscope.show([weights(1, 2, 5, 5)] * 2, list("abcde"), title="first")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertTrue(wait_until(lambda: [t for t in titles(self.screen) if t.startswith("first")]), titles(self.screen))
        attnscope.show({"q": weights(1, 2, 5, 8), "k": weights(1, 2, 5, 8)}, causal=True, title="second")
        self.assertTrue(wait_until(lambda: [t for t in titles(self.screen) if t.startswith("second")]), titles(self.screen))
        self.assertEqual(len(titles(self.screen)), 1)
        self.assertEqual(len(_window._children), 1)
        attnscope.show(write_letters_gpt(self.path("letters")))
        self.assertTrue(wait_until(lambda: [t for t in titles(self.screen) if t.startswith("letters")]), titles(self.screen))
        self.assertEqual(len(titles(self.screen)), 1)

    def test_a_killed_window_is_opened_again(self):
        attnscope.show(weights(2, 5, 5), title="first")
        _window._children[0].kill()
        _window._children[0].wait()
        attnscope.show(weights(2, 5, 5), title="second")
        self.assertTrue(wait_until(lambda: [t for t in titles(self.screen) if t.startswith("second")]))

    def test_the_window_stays_when_python_ends(self):
        code = "import attnscope, numpy as np; attnscope.show(np.full((2, 4, 4), 0.25), title='stays'); print(attnscope._window._children[0].pid)"
        said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout
        self.addCleanup(os.kill, int(said), 15)
        self.assertTrue(wait_until(lambda: [t for t in titles(self.screen) if t.startswith("stays")]))
        time.sleep(0.5)
        os.kill(int(said), 0)


class Answers(Case):
    """Of a program that says which window it is and takes its time to end."""

    def opened(self, line):
        program = self.path("program")
        with open(program, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho '%s'\nsleep 0.5\n" % line)
        os.chmod(program, 0o700)
        self.set_variable("ATTNSCOPE_PROGRAM", program)
        self.set_variable("DISPLAY", ":1234")
        self.addCleanup(_window._children.clear)
        attnscope.show(weights(2, 4, 4))
        children = list(_window._children)
        for child in children:
            child.wait()
        return len(children)

    def test_a_window_of_its_own_is_kept(self):
        self.assertEqual(self.opened("opened in a window of its own"), 1)

    def test_one_that_asked_another_window_is_none(self):
        self.assertEqual(self.opened("opened in the window that was there"), 0)


class BrokenDisplay(Case):
    def test_a_display_that_is_none_is_said(self):
        os.environ["DISPLAY"] = ":1234"
        with self.refused("no display"):
            attnscope.show(weights(2, 4, 4))


if __name__ == "__main__":
    unittest.main()
