"""attnscope.watch(): it is undone, harms no model, and refuses by name."""

import copy
import gc
import io
import os
import pickle
import subprocess
import sys
import threading
import time
import unittest
import warnings

import attnscope
from stream import Text
from watching import F, Plain, WatchCase, ids, tiny, torch, transformers, with_attention

from attnscope import _tapping  # after the skip where torch is not installed


class Behaviour(WatchCase):
    def test_everything_is_undone(self):
        model = tiny("gpt2")
        before = set(vars(model)), F.scaled_dot_product_attention
        path = None
        for ending in ("close", "with", "raise", "interrupt"):
            with self.subTest(ending):
                watched, reader = self.watch(model)
                path = watched.path
                self.assertTrue(os.path.exists(path))
                model(ids)
                if ending in ("raise", "interrupt"):
                    kind = ValueError if ending == "raise" else KeyboardInterrupt
                    handle = model.lm_head.register_forward_pre_hook(lambda *_: (_ for _ in ()).throw(kind("no")))
                    with self.assertRaises(kind):
                        model(ids)
                    handle.remove()
                    if ending == "raise":
                        self.assertFalse(_tapping.is_tapped())
                    model(ids)
                    self.assertFalse(_tapping.is_tapped())
                    records = reader.poll()
                    self.assertEqual([one["pass"] for one in records if one["end"]], [0, 2])
                if ending == "with":
                    with watched:
                        model(ids)
                watched.close()
                watched.close()
                self.assertFalse(os.path.exists(path))
                self.assertEqual(reader.word(64), 1)
                self.assertEqual((set(vars(model)), F.scaled_dot_product_attention), before)
                self.assertEqual((len(model._forward_hooks), len(model._forward_pre_hooks)), (0, 0))
                self.assertGreater(watched.passes, 0)

    def test_nothing_is_copied_while_nobody_looks(self):
        model = tiny("llama")
        watched, reader = self.watch(model)
        for said in ((128, 0), (136, 0), (136, time.monotonic_ns() - 3 * 10 ** 9), (136, 2 ** 63)):
            reader.look()
            reader.word(*said)
            model(ids)
        self.assertEqual(reader.word(56), 0)
        self.assertEqual(watched.passes, 4)

    def test_windows_that_write_nonsense_do_no_harm(self):
        model = tiny("gpt2")
        _, reader = self.watch(model)
        expected = model(ids)[0]
        for at in (144, 152):
            reader.look()
            reader.word(at, 2 ** 64 - 1)
            self.assertTrue(torch.equal(model(ids)[0], expected))
        reader.look()
        os.truncate(self.path("watch/") + os.listdir(self.path("watch"))[0], 4096)
        self.assertTrue(torch.equal(model(ids)[0], expected))

    def test_the_ring_overwrites_and_too_large_calls_are_counted(self):
        model = with_attention(tiny("llama"), "sdpa")
        watched, reader = self.watch(model, ring=1)
        self.assertEqual(reader.capacity, 1 << 20)
        with torch.no_grad():
            for _ in range(700):
                model(torch.randint(0, 50, (4, 30)))
            records = reader.poll()  # too late
            self.assertEqual(records, [])
            model(ids)
            records = reader.poll()
        self.assertEqual([one["keys_from"] for one in records if not one["end"]], [0, 0])
        self.assertEqual(watched.dropped, 0)
        wide = Plain()
        watched, reader = self.watch(wide, ring=1)
        with torch.no_grad():
            wide(torch.randn(64, 200, 16))
        self.assertEqual([one["end"] for one in reader.poll()], [True])
        self.assertEqual((watched.dropped, reader.word(72)), (1, 1))
        watched.close()
        self.assertEqual(watched.dropped, 1)

    def test_records_stay_whole_around_the_end_of_the_ring(self):
        model = with_attention(tiny("llama"), "sdpa")
        _, reader = self.watch(model, ring=1)
        expected = with_attention(model, "eager")
        with torch.no_grad():
            for i in range(300):
                x = torch.randint(0, 50, (1 + i % 3, 5 + i % 17))
                model(x)
                text = Text().take(reader.poll())
                if i % 37 == 0:
                    self.near(text.weights[1][0], expected(x, output_attentions=True).attentions[1])
        self.assertGreater(reader.cursor, reader.capacity)
        self.assertEqual(reader.dropped, 0)

    def test_two_models_at_once(self):
        one, two = with_attention(tiny("gpt2"), "sdpa"), with_attention(tiny("llama"), "sdpa")
        (_, first), (_, second) = self.watch(one), self.watch(two)
        with torch.no_grad():
            one(ids)
            two(ids)
            two(ids)
        self.assertEqual((len(first.poll()), len(second.poll())), (3, 6))
        self.assertNotEqual(first.facts["module"], second.facts["module"])

    def test_the_stream_says_what_the_model_is_on_disk(self):
        model = tiny("llama")
        config = model.config
        sizes = {"layers": config.num_hidden_layers, "heads": config.num_attention_heads,
                 "kv_heads": config.num_key_value_heads, "vocabulary": config.vocab_size, "model_type": "llama"}
        facts = self.watch(model)[1].facts
        self.assertEqual({name: facts.get(name) for name in sizes}, sizes)
        self.assertNotIn("name_or_path", facts)
        folder = self.path("saved")
        model.save_pretrained(folder)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(os.path.dirname(folder))
        loaded = type(model).from_pretrained("saved")  # the window runs in another folder
        self.assertEqual(os.path.realpath(self.watch(loaded)[1].facts["name_or_path"]), os.path.realpath(folder))
        loaded.config._name_or_path = "Org/Tiny-LM"
        self.assertEqual(self.watch(loaded)[1].facts["name_or_path"], "Org/Tiny-LM")

    def test_a_model_in_two_threads(self):
        model = with_attention(tiny("llama"), "sdpa")
        watched, reader = self.watch(model)

        def run():
            with torch.no_grad():
                for _ in range(30):
                    model(ids)

        threads = [threading.Thread(target=run) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        records = reader.poll()
        self.assertEqual((len(records), watched.passes), (180, 60))
        Text().take(records)

    def test_watching_again_ends_the_watch_before(self):
        model = tiny("gpt2")
        first, reader = self.watch(model)
        second, _ = self.watch(model)
        self.assertEqual(reader.word(64), 1)
        self.assertNotEqual(first.path, second.path)
        self.assertEqual(len(model._forward_hooks), 1)

    def test_layers_and_tokens(self):
        class Tokenizer:
            def convert_ids_to_tokens(self, numbers):
                return ["t%d\udc80" % one for one in numbers]

        model = tiny("gpt2")
        for layers, expected in (([1], [1]), (["transformer.h.0.attn"], [0]), ([], [])):
            watched, reader = self.watch(model, layers=layers, tokenizer=Tokenizer())
            model(ids)
            records = reader.poll()
            self.assertEqual([one["layer"] for one in records if not one["end"]], expected)
            self.assertEqual(records[-1]["tokens"], ["t%d?" % one for one in ids[0]])

    def test_copies_and_files_of_a_watched_model_are_not_watched(self):
        model = tiny("gpt2")
        watched, reader = self.watch(model)
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(file, weights_only=False)):
            other(ids)
        self.assertEqual((watched.passes, reader.poll()), (0, []))

    def test_a_thousand_calls_leak_nothing(self):
        def state():
            gc.collect()
            with open("/proc/self/status", encoding="ascii") as file:
                memory = [int(line.split()[1]) for line in file if line.startswith("RssAnon")][0]
            return len(os.listdir("/proc/self/fd")), memory

        model = with_attention(tiny("llama"), "sdpa")
        watched, reader = self.watch(model, ring=1)
        with torch.no_grad():
            for i in range(200):
                model(ids)
                reader.poll()
            before = state()
            for i in range(1000):
                model(ids)
                reader.poll()
            after = state()
        self.assertEqual(after[0], before[0])
        self.assertLess(after[1] - before[1], 4096, "kilobytes more")
        watched.close()
        before = state()
        for _ in range(100):
            attnscope.watch(model, open_window=False, ring=1).close()
        after = state()
        self.assertEqual(after[0], before[0])
        self.assertEqual(os.listdir(self.path("watch")), [])
        self.assertLess(after[1] - before[1], 4096, "kilobytes more")

    def test_a_stream_goes_with_its_model(self):
        for kind in ("gpt2", "t5"):
            model = tiny(kind)
            path = attnscope.watch(model, open_window=False).path
            self.assertTrue(os.path.exists(path))
            del model
            gc.collect()
            self.assertFalse(os.path.exists(path))

    def test_the_end_of_the_process_removes_the_file_and_a_fork_writes_nothing(self):
        code = ("import os, sys, torch, attnscope\n"
                "model = torch.nn.MultiheadAttention(8, 2)\n"
                "watched = attnscope.watch(model, open_window=False)\n"
                "sys.path.insert(0, %r)\n"
                "from stream import Reader\n"
                "reader = Reader(watched.path)\n"
                "x = torch.randn(3, 1, 8)\n"
                "child = os.fork()\n"
                "reader.look()\n"
                "model(x, x, x)\n"
                "if child == 0:\n"
                "    watched.close()\n"
                "    sys.exit(0)\n"
                "os.waitpid(child, 0)\n"
                "assert os.path.exists(watched.path)\n"
                "reader.look()\n"
                "model(x, x, x)\n"
                "assert [one['pass'] for one in reader.poll()] == [0, 0, 1, 1]\n" % os.path.dirname(__file__))
        subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
        self.assertEqual(os.listdir(self.path("watch")), [])

    def test_a_compiled_pass_of_a_watched_model_runs(self):
        model = Plain()
        _, reader = self.watch(model)
        x = torch.randn(1, 3, 16)
        found = torch.compile(model, backend="eager", fullgraph=True)(x)
        self.assertEqual(reader.poll(), [])
        self.assertTrue(torch.equal(found, model(x)))
        self.assertEqual(len(reader.poll()), 2)


class Refusals(WatchCase):
    def test_what_cannot_be_watched_is_named(self):
        with self.refused("no display"):
            attnscope.watch(tiny("gpt2"))
        self.assertFalse(os.path.exists(self.path("watch")))
        with self.refused("A list cannot be watched"):
            attnscope.watch([])
        with self.refused("Plain was compiled with torch.compile"):
            attnscope.watch(torch.compile(Plain(), backend="eager"), open_window=False)
        model = Plain()
        model.compile(backend="eager")
        with self.refused("Plain was compiled with torch.compile"):
            attnscope.watch(model, open_window=False)
        with self.refused("is a TorchScript module"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attnscope.watch(torch.jit.script(torch.nn.Linear(2, 2)), open_window=False)
        with self.assertRaisesRegex(ValueError, "residual"):
            attnscope.watch(Plain(), what=("qkv", "residual"), open_window=False)
        config = transformers.OpenAIGPTConfig(vocab_size=50, n_positions=32, n_embd=32, n_layer=1, n_head=4)
        with self.refused("OpenAIGPTModel cannot be watched"):
            attnscope.watch(transformers.OpenAIGPTModel(config), open_window=False)

    def test_folders_of_others_are_refused(self):
        os.mkdir(self.path("open"), 0o700)
        os.symlink(self.path("open"), self.path("link"))
        os.chmod(self.path("open"), 0o777)
        for name, said in (("link", "a link or a file"), ("open", "written by others")):
            os.environ["ATTNSCOPE_WATCH_FOLDER"] = self.path(name)
            with self.refused(said):
                attnscope.watch(Plain(), open_window=False)

    def test_attention_that_cannot_be_seen_is_said_once(self):
        model = torch.nn.Linear(4, 4)
        self.watch(model)
        with self.assertWarnsRegex(RuntimeWarning, "No attention was seen in a pass of Linear"):
            model(torch.zeros(1, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model(torch.zeros(1, 4))

    def test_a_window_that_cannot_be_opened_leaves_nothing(self):
        os.environ["DISPLAY"] = ":1234"
        model = Plain()
        with self.assertRaises(attnscope.Error):
            attnscope.watch(model)
        self.assertEqual((os.listdir(self.path("watch")), len(model._forward_hooks)), ([], 0))


if __name__ == "__main__":
    unittest.main()
