import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import attnscope
from attnscope import _program
from attnscope._files import map_tensors
from attnscope._tensors import dump_of
from support import Case, write_letters_gpt


class Models(Case):
    def setUp(self):
        super().setUp()
        self.model_path = write_letters_gpt(self.path("letters"))
        self.model = attnscope.Model(self.model_path)
        self.addCleanup(self.model.close)

    def by_command(self, *arguments):
        out = self.path("out.safetensors")
        _program.call(["run", self.model_path, "-o", out, *arguments])
        return map_tensors(out)

    def write_long_model(self):
        """Which generates for seconds: no token ends its texts."""
        path = write_letters_gpt(self.path("long"), blocks=4, width=64, positions=4096)
        with open(os.path.join(path, "config.json"), encoding="utf-8") as file:
            config = file.read().replace(', "eos_token_id": 7', "")
        with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as file:
            file.write(config)
        return path

    def check_same(self, arrays, expected):
        self.assertEqual(set(arrays), set(expected))
        for name, array in expected.items():
            np.testing.assert_array_equal(arrays[name], array, err_msg=name)

    def test_run_gives_what_the_command_writes(self):
        out = self.model.run("abc d", emit=["entropy", "q"], layers=(0, 1))
        self.check_same(out, self.by_command("--text", "abc d", "--emit", "entropy,q"))
        self.assertEqual(out["attentions.1"].shape, (1, 4, 4, 4))
        self.assertEqual(out["attentions.1"].dtype, np.float32)
        self.assertEqual(out["input_ids"].tolist(), [[5, 2, 6, 3]])
        np.testing.assert_allclose(out["attentions.0"].sum(-1), 1, atol=1e-5)
        self.assertEqual(out.tokens, ["ab", "c", " ", "d"])
        self.assertEqual(out.given, [4])
        self.assertIn("attentions.0 [1, 4, 4, 4]", repr(out))

    def test_what_was_run_can_be_shown(self):
        dump = dump_of(self.model.run("abc d", emit="q"))
        self.assertEqual(list(dump.arrays), ["attentions.0", "attentions.1"])
        self.assertEqual(dump.metadata, {"tokens": '[["ab", "c", " ", "d"]]'})

    def test_every_option_of_run_arrives(self):
        self.check_same(self.model.run(ids=[0, 1, 2], ablate=[(0, 1), "1.3"], layers=1, names="transformers"),
                        self.by_command("--ids", "0,1,2", "--ablate", "0.1,1.3", "--layers", "1"))
        self.check_same(self.model.run("ab", names="transformer-lens"),
                        self.by_command("--text", "ab", "--names", "transformer-lens"))
        batch = {"input_ids": np.array([[0, 1, 2], [3, 4, 5]])}
        out = self.model.run(batch=batch)
        self.assertEqual(out["logits"].shape, (2, 3, 8))
        self.assertEqual(out.batch_tokens, [["a", "b", "c"], ["d", "e", "ab"]])
        self.assertEqual(list(self.model.run("ab", layers=range(1, 2)).keys() & {"attentions.0", "attentions.1"}),
                         ["attentions.1"])

    def test_texts_may_begin_like_options(self):
        for text in ("--ab", "-o", "=a", "a\nb", "\"ab\"", "[a,b]"):
            try:
                tokens = self.model.tokenize(text).ids
                self.assertEqual(self.model.run(text)["input_ids"].tolist(), [tokens])
            except attnscope.Error as error:  # no letter of it has a token
                self.assertNotIn("--text", str(error))

    def test_tokenize_gives_ids_tokens_and_offsets(self):
        one = self.model.tokenize("abc d")
        self.assertEqual(one, ([5, 2, 6, 3], ["ab", "c", "\u0120", "d"], [(0, 2), (2, 3), (3, 4), (4, 5)], None))
        many = self.model.tokenize(["a", "", "--json"])
        self.assertEqual([len(each.ids) for each in many[:2]], [1, 0])
        self.assertEqual(self.model.tokenize([]), [])
        with self.assertRaises(TypeError):
            self.model.tokenize()

    def test_atlas_gives_columns(self):
        atlas = self.model.atlas("abc d")
        self.assertEqual(list(atlas), ["block", "head", "kl", "top_logit_change", "top_token", "mean_kl", "nll_change"])
        self.assertEqual(sorted(zip(atlas["block"], atlas["head"])), [(b, h) for b in range(2) for h in range(4)])
        self.assertEqual(atlas["top_token"].dtype, np.int64)
        self.assertTrue(np.isfinite(atlas["kl"]).all())
        self.assertTrue(np.isnan(self.model.atlas("abc d", last=True)["mean_kl"]).all())

    def test_generate_appends_tokens(self):
        out = self.model.generate("abc", 5)
        self.assertEqual(out.given, [2])
        self.assertGreater(len(out.tokens), 2)
        self.assertEqual(out["input_ids"].shape[1], len(out.tokens))
        self.assertIsInstance(out.text, str)
        drawn = [self.model.generate("abc", 8, temperature=3, top_k=5, top_p=0.99, seed=s)["input_ids"].tolist()
                 for s in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])

    def test_what_goes_wrong_is_the_programs_sentence(self):
        with self.refused("layer"):
            self.model.run("ab", ablate=["9.0"])
        with self.refused("--emit"):
            self.model.run("ab", emit="nothing")
        with self.refused("No such file"):
            attnscope.Model(self.path("nowhere"))
        with self.refused("config.json"):
            os.mkdir(self.path("empty"))
            attnscope.Model(self.path("empty"))
        for wrong in (dict(), dict(text="a", ids=[1])):
            with self.assertRaises(TypeError):
                self.model.run(**wrong)
        self.assertEqual(self.model.run("ab").tokens, ["ab"])

    def test_results_stay_and_leave_no_files(self):
        folder = self.model._kept.folder
        out = self.model.run("abc")
        kept = out["logits"].copy()
        self.assertEqual(os.listdir(folder), [])
        out["logits"][:] += 0  # may be written into
        self.model.close()
        self.assertFalse(os.path.exists(folder))
        np.testing.assert_array_equal(out["logits"], kept)
        with self.refused("closed"):
            self.model.run("ab")
        self.model.close()

    def test_the_process_goes_with_the_object(self):
        model = attnscope.Model(self.model_path)
        child, folder = model._kept.process.child, model._kept.folder
        self.assertIsNone(child.poll())
        del model
        gc.collect()
        self.assertIsNotNone(child.poll())
        self.assertFalse(os.path.exists(folder))

    def test_a_killed_process_is_said_and_started_again(self):
        self.model._kept.process.child.kill()
        self.model._kept.process.child.wait()
        self.assertEqual(self.model.run("ab").tokens, ["ab"])
        with attnscope.Model(self.write_long_model()) as model:
            threading.Timer(0.4, model._kept.process.child.kill).start()
            with self.refused("ended"):
                model.generate("ab", 4000)
            self.assertEqual(model.run("ab").tokens, ["ab"])

    def test_threads_take_turns(self):
        results, texts = {}, ["a", "ab", "abc", "abcd", "abcde"] * 4

        def ask(i, text):
            results[i] = "".join(self.model.run(text).tokens)

        threads = [threading.Thread(target=ask, args=one) for one in enumerate(texts)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([results[i] for i in range(len(texts))], texts)

    def test_a_process_that_was_forked_has_its_own(self):
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=lambda: queue.put(self.model.run("abc").tokens))
        child.start()
        self.assertEqual(queue.get(timeout=30), ["ab", "c"])
        child.join()
        self.assertEqual(self.model.run("ab").tokens, ["ab"])

    def test_an_interrupted_request_leaves_a_usable_model(self):
        # A script's background process ignores Ctrl-C, and Python with it.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        with attnscope.Model(self.write_long_model()) as model:
            model.run("ab")
            process = model._kept.process
            timer = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                model.generate("ab", 4000)
            self.assertEqual(model.run("abc").tokens, ["ab", "c"])
            self.assertLess(time.monotonic() - begin, 20)
            self.assertIs(model._kept.process, process)


class CommandLine(Case):
    def test_the_command_is_the_program(self):
        wheel = os.environ.get("ATTNSCOPE_TESTED_WHEEL")
        commands = [[sys.executable, "-m", "attnscope"]]
        if wheel:
            commands.append([os.path.join(os.path.dirname(sys.executable), "attnscope")])
        for command in commands:
            said = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, check=True).stdout
            self.assertTrue(said.startswith(b"attnscope 0."), said)
            wrong = subprocess.run([*command, "--frobnicate"], stderr=subprocess.PIPE, check=False)
            self.assertEqual(wrong.returncode, 2)

    def test_the_command_needs_no_numpy(self):
        code = "import sys, attnscope._program; sys.exit('numpy' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=False).returncode, 0)

    def test_a_picture_is_drawn(self):
        out = self.path("x.png")
        _program.call(["render", "-o", out])
        with open(out, "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")


if __name__ == "__main__":
    unittest.main()
