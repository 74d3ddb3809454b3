import html
import json
import sys
import types
import unittest

import numpy as np

import attnscope
from attnscope import _bertviz, _program
from support import Case, Tensor, weights


class Views(Case):
    """What is made for the program; and, where it writes pages, the page."""

    def setUp(self):
        super().setUp()
        self.attention = [Tensor(weights(1, 3, 5, 5)) for _ in range(4)]
        self.tokens = ["[CLS]", "the", "\u0120cat", "sat</w>", "[SEP]"]

    def asked(self, function, *arguments, **named):
        """The dump, the layer, the head and the theme that the page is asked for with."""
        kept = []
        before, _bertviz._page = _bertviz._page, lambda *asked: kept.append(asked) or "<p>page</p>"
        try:
            page = function(*arguments, html_action="return", **named)
        finally:
            _bertviz._page = before
        self.assertEqual(page.data, "<p>page</p>")
        return kept[0]

    def test_bertviz_calls_are_taken(self):
        dump, layer, head, _, changes = self.asked(attnscope.head_view, self.attention, self.tokens, 2, layer=2, heads=[1, 2])
        self.assertEqual(list(dump.arrays), ["attentions.%d" % i for i in range(4)])
        self.assertEqual((dump.layer_name(layer), head), ("attentions.2", 1))
        self.assertEqual(json.loads(dump.metadata["tokens"]), ["[CLS]", "the", "\u0120cat", "sat", "[SEP]"])
        self.assertEqual(changes, {"second": 2, "shown": [1, 2]})
        self.assertNotIn("labels", dump.metadata)
        dump, *_ = self.asked(attnscope.head_view, self.attention, self.tokens, prettify_tokens=False)
        self.assertEqual(json.loads(dump.metadata["tokens"]), self.tokens)
        self.assertEqual(dump.metadata["labels"], "as they are")
        dump, _, head, _, changes = self.asked(attnscope.model_view, self.attention, self.tokens, include_layers=[1, 3],
                                               include_heads=[0, 1])
        self.assertEqual((head, changes), (0, {"shown": [0, 1]}))
        self.assertEqual({name: array.shape for name, array in dump.arrays.items()},
                         {"attentions.1": (1, 2, 5, 5), "attentions.3": (1, 2, 5, 5)})
        self.assertEqual(self.asked(attnscope.model_view, self.attention, self.tokens, display_mode="light")[3], "light")

    def test_heads_keep_their_numbers(self):
        dump, _, head, _, changes = self.asked(attnscope.model_view, self.attention, self.tokens, include_heads=[2, 1])
        self.assertEqual((dump.arrays["attentions.0"].shape[1], head, changes["shown"]), (3, 2, [2, 1]))
        dump, _, head, _, changes = self.asked(attnscope.head_view, self.attention, self.tokens)
        self.assertEqual((head, changes), (None, {}))

    def test_what_cannot_be_shown_is_named(self):
        a, t, encoder = self.attention, self.tokens, [weights(1, 2, 4, 4)]
        for named, said in ((dict(heads=[3]), "heads names head 3; attentions.0 has 0 to 2"),
                            (dict(heads=[-1]), "heads names head -1"), (dict(heads=[]), "heads is empty"),
                            (dict(include_layers=[1, 7]), "include_layers names layer 7; there are: 0, 1, 2, 3"),
                            (dict(include_layers=[1], layer=2), "layer is 2, which is not in include_layers"),
                            (dict(sentence_b_start=0), "from 1 to 4, not 0")):
            with self.assertRaisesRegex(ValueError, said):
                attnscope.head_view(a, t, html_action="return", **named)
        with self.assertRaisesRegex(ValueError, "sentence_b_start is 2, but an encoder-decoder"):
            attnscope.head_view(encoder_attention=encoder, encoder_tokens=list("abcd"), sentence_b_start=2)

    def test_a_page_is_changed_in_its_data_alone(self):
        page = '<p>a</p><script id="attnscope-data">{"words": {"x": "\\u003c/script>"}, "heads": []}</script><p>b</p>'
        self.assertEqual(_bertviz._changed(page, {}), page)
        changed = _bertviz._changed(page, {"second": 3})
        self.assertEqual(changed.count("</script>"), 1)
        data = json.loads(changed.split("data\">")[1].split("</script>")[0])
        self.assertEqual((data["second"], data["words"]["x"], data["words"]["sentence_b"]), (3, "</script>", "Sentence B"))
        self.assertTrue(changed.startswith("<p>a</p>") and changed.endswith("<p>b</p>"))

    def test_encoder_decoders_have_three_attentions(self):
        dump, *_ = self.asked(attnscope.head_view, encoder_attention=[weights(1, 2, 4, 4)], decoder_attention=[weights(1, 2, 3, 3)],
                              cross_attention=[weights(1, 2, 3, 4)], encoder_tokens=list("abcd"), decoder_tokens=list("xyz"))
        self.assertEqual(list(dump.arrays), ["encoder_attentions.0", "decoder_attentions.0", "cross_attentions.0"])
        self.assertEqual(json.loads(dump.metadata["decoder_tokens"]), list("xyz"))
        dump, *_ = self.asked(attnscope.head_view, decoder_attention=[weights(1, 2, 3, 3)], decoder_tokens=list("xyz"))
        self.assertEqual(dump.metadata, {"tokens": '["x", "y", "z"]'})

    def test_what_bertviz_refuses_is_refused(self):
        a, t = self.attention, self.tokens
        for arguments, named in (((), {}), ((a,), {}), ((a, t), {"cross_attention": a}), ((a, t), {"html_action": "no"}),
                                 ((a, t), {"include_layers": [9]}), ((a, t, 5), {}), ((), {"encoder_attention": a}),
                                 ((), {"cross_attention": a, "encoder_tokens": t}), (([weights(2, 3, 5, 5)], t), {})):
            with self.assertRaises(ValueError):
                attnscope.head_view(*arguments, **{"html_action": "return", **named})
        with self.refused("lists 4, expected 5"):
            attnscope.head_view(a, t[:4], html_action="return")

    def test_several_layers_are_one_page_of_layers_and_heads(self):
        asked, before = [], _program.call

        def write(arguments):
            asked.append(arguments)
            with open(arguments[arguments.index("-o") + 1], "w", encoding="utf-8") as file:
                file.write("<p>all</p>")

        _program.call = write
        try:
            page = attnscope.head_view(self.attention, self.tokens, layer=2, html_action="return").data
        finally:
            _program.call = before
        self.assertEqual((page, len(asked)), ("<p>all</p>", 1))
        self.assertIn("--layer=attentions.2", asked[0])
        self.assertIn("--region=grid", asked[0])

    def test_layers_that_are_too_many_for_a_page_are_chosen_in_one(self):
        asked, before = [], _program.call
        most, _bertviz._most_cells = _bertviz._most_cells, 3 * 3 * 5 * 5
        self.addCleanup(setattr, _bertviz, "_most_cells", most)

        def write(arguments):
            asked.append(arguments)
            with open(arguments[arguments.index("-o") + 1], "w", encoding="utf-8") as file:
                file.write("<script>'%s'</script>" % arguments[2])

        _program.call = write
        try:
            page = attnscope.head_view(self.attention, self.tokens, layer=2, html_action="return").data
            alone = attnscope.head_view(self.attention, self.tokens, include_layers=[3], html_action="return").data
        finally:
            _program.call = before
        self.assertEqual(alone, "<script>'--layer=attentions.3'</script>")
        self.assertEqual(sorted(one[2] for one in asked)[:2], ["--layer=attentions.0", "--layer=attentions.1"])
        self.assertIn("<option value=2 selected>Layer 2</option>", page)
        held = page.split('id="pages">')[1].split("</script>")[0]
        self.assertEqual(json.loads(held), ["<script>'--layer=attentions.%d'</script>" % i for i in range(4)])

    def test_a_page_shows_itself_in_a_frame(self):
        page = attnscope.Page("<!doctype html><p title=\"a\">&amp;</p>")
        frame = page._repr_html_()
        self.assertIn(html.escape(page.data), frame)
        self.assertNotIn("<p ", frame)
        page.save(self.path("x.html"))
        with open(self.path("x.html"), encoding="utf-8") as file:
            self.assertEqual(file.read(), page.data)

    def test_a_notebook_is_given_the_page(self):
        shown = []
        display = types.ModuleType("IPython.display")
        display.HTML, display.display = lambda text: text, shown.append
        package = types.ModuleType("IPython")
        package.get_ipython, package.display = (lambda: object()), display
        before = {name: sys.modules.get(name) for name in ("IPython", "IPython.display")}
        sys.modules.update({"IPython": package, "IPython.display": display})
        try:
            _bertviz._show(attnscope.Page("page"))
        finally:
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module
        self.assertEqual(len(shown), 1)
        self.assertIn("<iframe", shown[0])

    def test_the_program_writes_the_page(self):
        try:
            _program.call(["render", "-o", self.path("x.html")])
        except attnscope.Error as error:
            self.skipTest(str(error))
        page = attnscope.head_view(self.attention, self.tokens, 2, layer=2, heads=[1], include_layers=[2], html_action="return")
        data = json.loads(page.data.split('id="attnscope-data">')[1].split("</script>")[0])
        self.assertEqual((data["shown"], data["second"], data["at"][0]), ([1], 2, 1))
        self.assertEqual([head[2] for head in data["heads"]], [0, 1])
        self.assertIn("Head 1 looks", page.data)
        self.assertIn("<html", page.data)
        self.assertIn("cat", page.data)
        page = attnscope.model_view(self.attention, self.tokens, display_mode="dark", html_action="return")
        data = json.loads(page.data.split('id="attnscope-data">')[1].split("</script>")[0])
        self.assertEqual([head[1:3] for head in data["heads"]], [[layer, head] for layer in range(4) for head in range(3)])
        self.assertEqual((data["parts"][0]["layers"], data["theme"]), (4, "dark"))
        causal = np.tril(np.ones((64, 64), np.float32))
        twelve = [weights(1, 12, 64, 64) * causal for _ in range(12)]
        twelve = [layer / layer.sum(-1, keepdims=True) for layer in twelve]
        page = attnscope.model_view(twelve, ["t%d" % i for i in range(64)], html_action="return")
        self.assertLessEqual(len(page.data), 2000000)
        # Both ways and at random, so that little of it can be packed.
        noise = np.exp(np.random.default_rng(1).normal(0, 3, (12, 1, 12, 64, 64)))
        page = attnscope.model_view(list((noise / noise.sum(-1, keepdims=True)).astype(np.float32)),
                                    ["t%d" % i for i in range(64)], html_action="return")
        self.assertLessEqual(len(page.data), 2000000)
        page = attnscope.model_view(encoder_attention=[weights(1, 2, 4, 4)] * 2, decoder_attention=[weights(1, 2, 3, 3)] * 2,
                                    cross_attention=[weights(1, 2, 3, 4)] * 2, encoder_tokens=list("abcd"),
                                    decoder_tokens=list("xyz"), html_action="return")
        data = json.loads(page.data.split('id="attnscope-data">')[1].split("</script>")[0])
        self.assertEqual([part["name"] for part in data["parts"]], ["Encoder", "Decoder", "Cross-attention"])
        self.assertNotIn("https://", page.data.replace("https://www.w3.org", ""))


if __name__ == "__main__":
    unittest.main()
