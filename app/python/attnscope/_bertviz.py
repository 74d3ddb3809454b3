"""BertViz' head_view and model_view, with their parameters, as one HTML page without network access or third-party
scripts."""

from __future__ import annotations

import concurrent.futures
import html
import importlib
import json
import os
import tempfile
import webbrowser
from typing import Any, Dict, Iterable, List, Optional, Sequence

import numpy as np

from . import _program
from ._files import write_tensors
from ._program import Error
from ._tensors import Dump, dump_of, layers_of, words


class Page:
    """A complete HTML document. ``data`` is its text: as a file it opens in any browser, without network access. In
    Jupyter, VS Code and Colab it is displayed as the value of a cell."""

    data: str

    def __init__(self, data: str, height: int = 640) -> None:
        self.data = data
        self.height = height

    def save(self, path: "os.PathLike[str] | str") -> None:
        """Writes the document."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.data)

    def _repr_html_(self) -> str:
        # In a frame, so that the styles of the page and of the notebook do not mix.
        return ('<iframe title="AttnScope" srcdoc="%s" style="width:100%%;height:%dpx;border:0;resize:vertical" '
                'sandbox="allow-scripts allow-downloads"></iframe>' % (html.escape(self.data), self.height))

    def __repr__(self) -> str:
        return "attnscope.Page(%d characters)" % len(self.data)


def head_view(attention: Any = None, tokens: Optional[List[str]] = None, sentence_b_start: Optional[int] = None,
              prettify_tokens: bool = True, layer: Optional[int] = None, heads: Optional[Iterable[int]] = None,
              encoder_attention: Any = None, decoder_attention: Any = None, cross_attention: Any = None,
              encoder_tokens: Optional[List[str]] = None, decoder_tokens: Optional[List[str]] = None,
              include_layers: Optional[Iterable[int]] = None, html_action: str = "view") -> Optional[Page]:
    """Attention of all layers and heads, with one enlarged head. Corresponds to BertViz' head_view.

    attention: an array ``[1, heads, n, n]`` for each layer; tokens: n words. Of encoder-decoders instead
    ``encoder_attention``, ``decoder_attention``, ``cross_attention`` ``[1, heads, decoder n, encoder n]`` with
    ``encoder_tokens`` and ``decoder_tokens``. layer: the one that is looked at first. heads: these are shown, under
    their own numbers, and the first of them is looked at first; None: all. include_layers: the others are left out.
    sentence_b_start: the number of the token with which sentence B begins; a line divides the two, and both are named
    over the tokens. prettify_tokens: word marks of tokenizers (Ġ, ▁, </w>) become spaces, as in BertViz, which leaves
    WordPiece's ## as it is; False shows each token as it is given.
    html_action: "view" shows the page, in a notebook or else in the browser; "return" returns it, see Page.
    """
    return _view(attention, tokens, sentence_b_start, prettify_tokens, layer, heads, encoder_attention,
                 decoder_attention, cross_attention, encoder_tokens, decoder_tokens, include_layers, None,
                 html_action)


def model_view(attention: Any = None, tokens: Optional[List[str]] = None, sentence_b_start: Optional[int] = None,
               prettify_tokens: bool = True, display_mode: Optional[str] = None, encoder_attention: Any = None,
               decoder_attention: Any = None, cross_attention: Any = None,
               encoder_tokens: Optional[List[str]] = None, decoder_tokens: Optional[List[str]] = None,
               include_layers: Optional[Iterable[int]] = None, include_heads: Optional[Iterable[int]] = None,
               html_action: str = "view") -> Optional[Page]:
    """Attention of all layers and heads. Corresponds to BertViz' model_view; parameters are those of head_view.

    display_mode: "dark" or "light"; None follows the reader's setting. include_heads: these are shown, under their own
    numbers; None: all.
    """
    return _view(attention, tokens, sentence_b_start, prettify_tokens, None, None, encoder_attention,
                 decoder_attention, cross_attention, encoder_tokens, decoder_tokens, include_layers, include_heads,
                 html_action, display_mode)


def _view(attention: Any, tokens: Optional[List[str]], sentence_b_start: Optional[int], prettify_tokens: bool,
          layer: Optional[int], heads: Optional[Iterable[int]], encoder_attention: Any, decoder_attention: Any,
          cross_attention: Any, encoder_tokens: Optional[List[str]], decoder_tokens: Optional[List[str]],
          include_layers: Optional[Iterable[int]], include_heads: Optional[Iterable[int]], html_action: str,
          theme: Optional[str] = None) -> Optional[Page]:
    if html_action not in ("view", "return"):
        raise ValueError('html_action has to be "view" or "return", not %r' % html_action)
    if theme not in (None, "dark", "light"):
        raise ValueError('display_mode has to be "dark" or "light", not %r' % theme)
    both = (encoder_attention, decoder_attention, cross_attention)
    if attention is not None:
        if any(one is not None for one in (*both, encoder_tokens, decoder_tokens)):
            raise ValueError("where attention is given, nothing of an encoder-decoder may be")
        if tokens is None:
            raise ValueError("tokens has to be given with attention")
    elif all(one is None for one in both):
        raise ValueError("attention has to be given, or that of an encoder-decoder")
    stacks = {"attentions": attention, "encoder_attentions": encoder_attention,
              "decoder_attentions": decoder_attention, "cross_attentions": cross_attention}
    if (encoder_attention is not None or cross_attention is not None) and encoder_tokens is None:
        raise ValueError("encoder_tokens has to be given with encoder_attention and cross_attention")
    if (decoder_attention is not None or cross_attention is not None) and decoder_tokens is None:
        raise ValueError("decoder_tokens has to be given with decoder_attention and cross_attention")

    chosen = _numbers("include_layers", include_layers), _numbers("heads", heads), _numbers("include_heads", include_heads)
    shown = chosen[1] if chosen[1] is not None else chosen[2]
    arrays: Dict[str, np.ndarray] = {}
    for name, stack in stacks.items():
        if stack is not None:
            arrays.update(_chosen(layers_of(stack, name), chosen[0]))
    if shown is not None:
        arrays = _with_heads("heads" if heads is not None else "include_heads", arrays, shown)
    if layer is not None and chosen[0] is not None and int(layer) not in chosen[0]:
        raise ValueError("layer is %s, which is not in include_layers: %s" % (layer, chosen[0]))
    own = tokens if attention is not None else encoder_tokens
    dump = dump_of(arrays, _words(own, prettify_tokens), _words(decoder_tokens, prettify_tokens))
    if not prettify_tokens:
        dump.metadata["labels"] = "as they are"
    changes: Dict[str, Any] = {}
    if sentence_b_start is not None:
        changes["second"] = _second(sentence_b_start, tokens)
    if shown is not None:
        changes["shown"] = shown
    page = Page(_page(dump, layer, None if shown is None else shown[0], theme, changes))
    if html_action == "return":
        return page
    _show(page)
    return None


def _second(start: int, tokens: Optional[List[str]]) -> int:
    if tokens is None:
        raise ValueError("sentence_b_start is %r, but an encoder-decoder has its two texts apart: give them as "
                         "encoder_tokens and decoder_tokens alone" % (start,))
    if not 0 < int(start) < len(tokens):
        raise ValueError("sentence_b_start has to be the place of a token behind the first, from 1 to %d, not %r"
                         % (len(tokens) - 1, start))
    return int(start)


def _numbers(name: str, given: Optional[Iterable[int]]) -> Optional[List[int]]:
    if given is None:
        return None
    listed = [int(one) for one in given]
    if not listed:
        raise ValueError("%s is empty: name at least one, or leave it out for all" % name)
    return listed


def _words(tokens: Optional[List[str]], prettify: bool) -> Optional[List[Any]]:
    listed = words(tokens)
    if listed is None or not prettify:
        return listed
    # Ġ and ▁ are spaces to the program; </w> ends a word in the vocabularies of GPT-1 and FlauBERT.
    return [one.replace("</w>", "") or one for one in listed]


def _chosen(arrays: Dict[str, np.ndarray], layers: Optional[List[int]]) -> Dict[str, np.ndarray]:
    wanted = None if layers is None else ["%d" % one for one in layers]
    there = [name.split(".")[1] for name in arrays]
    missing = [one for one in wanted or [] if one not in there]
    if missing:
        raise ValueError("include_layers names layer %s; there are: %s" % (", ".join(missing), ", ".join(there)))
    chosen = {name: array for name, array in arrays.items() if wanted is None or name.split(".")[1] in wanted}
    for name, array in chosen.items():
        if array.ndim == 4 and array.shape[0] != 1:
            raise ValueError("%s has a batch of %d, expected 1: choose one sequence" % (name, array.shape[0]))
    return chosen


def _with_heads(option: str, arrays: Dict[str, np.ndarray], heads: List[int]) -> Dict[str, np.ndarray]:
    """The arrays without the heads after the last one in ``heads``. Earlier heads stay, so that numbers stay the
    same."""
    kept = {}
    for name, array in arrays.items():
        if array.ndim < 3:
            raise ValueError("%s is %s, but %s has one head without a number: leave %s out" % (option, heads, name, option))
        count = array.shape[-3]
        wrong = [head for head in heads if not 0 <= head < count]
        if wrong:
            raise ValueError("%s names head %s; %s has 0 to %d" % (option, wrong[0], name, count - 1))
        kept[name] = array[..., :max(heads) + 1, :, :]
    return kept


def _changed(page: str, changes: Dict[str, Any]) -> str:
    """The page with ``changes`` in its data: only the heads "shown" are drawn; sentence B begins at token "second"."""
    if not changes:
        return page
    mark = 'id="attnscope-data">'
    begin = page.index(mark) + len(mark)
    end = page.index("</script>", begin)
    data = json.loads(page[begin:end])
    data.update(changes)
    data["words"].update(sentence_a="Sentence A", sentence_b="Sentence B", shown_heads="Heads")
    return page[:begin] + json.dumps(data, ensure_ascii=False).replace("<", "\\u003c") + page[end:]


def _page(dump: Dump, layer: Optional[int], head: Optional[int], theme: Optional[str],
          changes: Dict[str, Any]) -> str:
    """The program's page: layers × heads; or, if these are too many for one page, a page with a choice of layers."""
    names = list(dump.arrays)
    first = dump.layer_name(layer) or names[0]
    fits = sum(array.size for array in dump.arrays.values()) <= _most_cells
    if theme is not None:
        changes = dict(changes, theme=theme)
    with tempfile.TemporaryDirectory(prefix="attnscope-") as folder:
        source = os.path.join(folder, "attention.safetensors")
        write_tensors(source, dump.arrays, dump.metadata)
        options = ["--head=%d" % head] if head is not None else []
        options += ["--theme=" + theme] if theme is not None else []

        def page_of(number: int, more: Sequence[str] = ()) -> str:
            out = os.path.join(folder, "%d.html" % number)
            _program.call(["render", source, "--layer=" + names[number], "-o", out, *options, *more])
            with open(out, encoding="utf-8") as file:
                return _changed(file.read(), changes)

        if len(names) > 1 and fits:
            return page_of(names.index(first), ["--region=grid"])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            pages = list(pool.map(page_of, range(len(names))))
    return pages[0] if len(pages) == 1 else _with_choice(names, pages, names.index(first), theme)


# The most weights, over all heads, of one page of the program: some megabytes.
_most_cells = 1 << 22

_kinds = {"attentions": "Layer", "encoder_attentions": "Encoder, layer", "decoder_attentions": "Decoder, layer",
          "cross_attentions": "Cross-attention, layer"}


def _with_choice(names: List[str], pages: List[str], first: int, theme: Optional[str]) -> str:
    """One document that contains all pages and shows one of them."""
    labels = ["%s %s" % (_kinds[kind], number) for kind, _, number in (name.partition(".") for name in names)]
    choices = "".join("<option value=%d%s>%s</option>" % (i, " selected" if i == first else "", label)
                      for i, label in enumerate(labels))
    return _choice % {"scheme": theme or "light dark", "choices": choices,
                      "pages": json.dumps(pages).replace("</", "<\\/").replace("<!--", "<\\u0021--")}


_choice = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>AttnScope</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: %(scheme)s; }
html, body { height: 100%%; margin: 0; }
body { display: flex; flex-direction: column; font: 15px system-ui, sans-serif; background: Canvas; color: CanvasText; }
label { padding: 6px 12px; }
select { font: inherit; }
iframe { flex: 1; border: 0; width: 100%%; }
</style></head><body>
<label>Attention <select id="layer">%(choices)s</select></label>
<iframe id="page" title="Attention of the layer"></iframe>
<script type="application/json" id="pages">%(pages)s</script>
<script>
const pages = JSON.parse(document.getElementById("pages").textContent), layer = document.getElementById("layer");
const show = () => { document.getElementById("page").srcdoc = pages[layer.value]; };
layer.addEventListener("change", show);
show();
</script></body></html>
"""


def _show(page: Page) -> None:
    try:
        ipython, notebook = (importlib.import_module(name) for name in ("IPython", "IPython.display"))
    except ImportError:
        ipython = None
    if ipython is not None and ipython.get_ipython() is not None:
        notebook.display(notebook.HTML(page._repr_html_()))
        return
    handle, path = tempfile.mkstemp(".html", "attnscope-")
    os.close(handle)
    page.save(path)
    if not webbrowser.open("file://" + path):
        raise Error("There is neither a notebook nor a browser to show the page in; it is in \"%s\"." % path)
