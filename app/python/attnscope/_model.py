"""Model: one process opens a model once; its results are mapped from the files that it writes."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
import threading
import weakref
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np

from ._files import map_tensors, private_folder, write_tensors
from ._process import Process
from ._program import Error
from ._tensors import as_array

Path = Union[str, "os.PathLike[str]"]
Layers = Union[int, str, range, Tuple[int, int]]
Head = Union[str, Tuple[int, int]]
Chat = Union[str, Sequence[Mapping[str, str]]]


class Encoding(NamedTuple):
    """A tokenized text: three lists of the same length."""

    ids: List[int]
    tokens: List[str]
    offsets: List[Tuple[int, int]]  # begin and end of each token, in characters of the text
    text: Optional[str] = None  # of a chat: the text made by its template


class Arrays(Dict[str, np.ndarray]):
    """Named arrays, and the tokens of their positions. The arrays are mapped, float32 except for whole numbers; writes
    to them change no file."""

    batch_tokens: List[List[str]]
    batch_decoder_tokens: List[List[str]]
    #: The number of input tokens of each sequence; the tokens after them were generated.
    given: List[int]
    #: The text generated after each sequence; empty if nothing was generated.
    texts: List[str]

    def __init__(self, arrays: Mapping[str, np.ndarray], sequences: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(arrays)
        self.batch_tokens = [one["tokens"] for one in sequences if "tokens" in one]
        self.batch_decoder_tokens = [one["decoder_tokens"] for one in sequences if "decoder_tokens" in one]
        self.given = [one["given"] for one in sequences]
        self.texts = [one["text"] for one in sequences if "text" in one]

    @property
    def tokens(self) -> List[str]:
        """The tokens of the first sequence, one for each position; empty if the model has no tokenizer."""
        return self.batch_tokens[0] if self.batch_tokens else []

    @property
    def text(self) -> str:
        """The text generated after the first sequence."""
        return self.texts[0] if self.texts else ""

    def __repr__(self) -> str:
        return "Arrays(%s)" % ", ".join("%s %s" % (name, list(array.shape)) for name, array in self.items())


class _Kept:
    """The process and the folder that are removed with a Model."""

    def __init__(self) -> None:
        self.process: Optional[Process] = None
        self.folder = private_folder()
        self.owner = os.getpid()

    def close(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.end()
        if self.owner == os.getpid():
            shutil.rmtree(self.folder, ignore_errors=True)


class Model:
    """A model to run: a Hugging Face folder (config.json and safetensors) or a .gguf file, of a family that the program
    supports. No conversion, network access or framework is needed.

    One process keeps the model open. Any thread may call it; one request is answered at a time. Ctrl-C stops a
    computation and leaves the model usable. ``close()``, the end of a ``with`` or of the object ends the process;
    returned arrays stay valid.

    >>> with attnscope.Model("SmolLM2-135M") as model:
    ...     out = model.run("The cat sat")
    ...     out["attentions.0"].shape     # [batch, heads, n, n]
    """

    #: "GPT-2", "Llama", …
    family: str
    #: Of the stack that gives the output; ``facts`` describes both stacks.
    layers: int
    heads: int
    #: {"family", "d_model", "vocabulary", "encoder" and "decoder": {"layers", "heads", "kv_heads", "d_k"}}
    facts: Dict[str, Any]

    def __init__(self, path: Path) -> None:
        """Opens the model. Raises Error."""
        self.path = os.path.abspath(os.path.expanduser(os.fspath(path)))
        if not os.path.exists(self.path):
            raise Error("Cannot read \"%s\": No such file or directory." % os.fspath(path))
        self._lock = threading.Lock()
        self._number = 0
        self._closed = False
        self._kept = _Kept()
        self._finalizer = weakref.finalize(self, self._kept.close)
        try:
            facts = self._ask("model", [])
        except BaseException:
            self.close()
            raise
        facts.pop("id", None)
        self.facts = facts
        self.family = facts["family"]
        stack = facts.get("decoder") or facts["encoder"]
        self.layers, self.heads = stack["layers"], stack["heads"]

    def run(self, text: Optional[str] = None, *, pair: Optional[str] = None, decoder_text: Optional[str] = None,
            ids: Optional[Iterable[int]] = None, chat: Optional[Chat] = None, image: Optional[Path] = None,
            batch: Optional[Mapping[str, Any]] = None, emit: Iterable[str] = (), layers: Optional[Layers] = None,
            ablate: Iterable[Head] = (), names: str = "transformers", chat_template: Optional[str] = None,
            chat_date: Optional[str] = None, generation_prompt: bool = True) -> Arrays:
        """The output of ``attnscope run`` as arrays. The input is one of ``text``, ``ids``, ``chat``, ``image`` and
        ``batch``.

        Returns ``input_ids`` ``[batch, n]``, ``attentions.{i}`` ``[batch, heads, n, n]``, ``hidden_states.{i}``
        ``[batch, n, d_model]`` (0 = embeddings), ``last_hidden_state``, ``logits`` ``[batch, n, vocabulary]``,
        ``pooler_output`` if the model has one; for encoder-decoders ``encoder_…``, ``decoder_…`` and
        ``cross_attentions.{i}`` ``[batch, heads, decoder n, encoder n]``.

        pair: the second text of a pair (BERT). decoder_text: the beginning of the decoder's output.
        chat: one message of a user, or messages ``[{"role": "user", "content": "Hello"}, …]``, formatted by the
        model's chat template (``chat_template`` is its name, ``chat_date`` the date that it uses).
        image: a PNG or JPEG file. batch: arrays in the format of transformers' models (``input_ids`` ``[batch, n]``,
        ``attention_mask``, ``pixel_values`` …).
        emit: any of "q", "k", "v" (``q.{i}`` ``[batch, heads, n, d_k]``, after rotary positions), "entropy",
        "received" (``[batch, heads, n]``) and "lens" (``lens.{i}``, ``lens_ids.{i}`` ``[batch, n, 10]``).
        layers: the layers whose attention is returned: 3, (0, 3) with both ends, range(4) or "0-3".
        ablate: heads whose output is set to zero, (layer, head) or "3.5".
        names: "transformers", or "transformer-lens" for the names and shapes of its hooks.
        """
        arguments = self._input(text, pair, decoder_text, ids, chat, image, batch)
        arguments += _chat_options(chat_template, chat_date, generation_prompt)
        arguments += _run_options(emit, layers, ablate, names)
        return self._run(arguments)

    def generate(self, text: Optional[str] = None, tokens: int = 20, *, ids: Optional[Iterable[int]] = None,
                 chat: Optional[Chat] = None, temperature: float = 0.0, top_k: Optional[int] = None,
                 top_p: Optional[float] = None, seed: Optional[int] = None, emit: Iterable[str] = (),
                 layers: Optional[Layers] = None, ablate: Iterable[Head] = (), names: str = "transformers",
                 chat_template: Optional[str] = None, chat_date: Optional[str] = None) -> Arrays:
        """Appends up to ``tokens`` tokens, each the likeliest, or drawn from softmax(logits / temperature) among the
        ``top_k`` likeliest and the fewest whose probabilities sum to ``top_p``; the same ``seed`` draws the same ones.

        Returns the arrays of ``run`` for the whole sequence; ``.text`` is the generated text, ``.tokens`` are all
        tokens, ``.given[0]`` is the number of input tokens.
        """
        arguments = self._input(text, None, None, ids, chat, None, None)
        arguments += _chat_options(chat_template, chat_date, True)
        arguments += _run_options(emit, layers, ablate, names)
        arguments.append("--generate=%d" % tokens)
        if temperature or top_k is not None or top_p is not None or seed is not None:
            arguments.append("--temperature=%r" % float(temperature))
        arguments += ["--%s=%s" % (name, value) for name, value in
                      (("top-k", top_k), ("top-p", top_p), ("seed", seed)) if value is not None]
        return self._run(arguments)

    def atlas(self, text: Optional[str] = None, *, ids: Optional[Iterable[int]] = None,
              decoder_text: Optional[str] = None, at: Optional[int] = None, mean: bool = False, last: bool = False,
              prune: bool = False) -> Dict[str, np.ndarray]:
        """The effect of ablating each head alone on the prediction, as in ``attnscope atlas``.

        Returns columns of the same length, a row for each head: ``block``, ``head``, ``top_token`` (int64), ``kl``,
        ``top_logit_change``, ``mean_kl``, ``nll_change`` (float64, nats; NaN if there is no such number).
        at: position of the prediction. mean: a head is replaced by its mean over the text, not by zeros. last: effects
        on one position only, which is faster. prune: heads are removed one after the other, the one with the least
        effect first.
        """
        arguments = self._input(text, None, decoder_text, ids, None, None, None)
        arguments += ["--at=%d" % at] if at is not None else []
        arguments += [name for name, asked in (("--mean", mean), ("--last", last), ("--prune", prune)) if asked]
        with self._lock:
            out = self._place("csv")
            try:
                self._ask_locked("atlas", [*arguments, "--out=" + out])
                with open(out, newline="", encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
            finally:
                self._remove(out)
        whole = ("block", "head", "top_token")
        names = ("block", "head", "kl", "top_logit_change", "top_token", "mean_kl", "nll_change")
        return {name: np.array([int(row[name]) for row in rows], np.int64) if name in whole else
                np.array([float(row[name] or "nan") for row in rows], np.float64) for name in names}

    @overload
    def tokenize(self, text: str) -> Encoding: ...  # type: ignore[overload-overlap,misc,unused-ignore]
    @overload
    def tokenize(self, text: Sequence[str]) -> List[Encoding]: ...
    @overload
    def tokenize(self, *, chat: Chat, chat_template: Optional[str] = None, chat_date: Optional[str] = None,
                 generation_prompt: bool = True) -> Encoding: ...

    def tokenize(self, text: Union[str, Sequence[str], None] = None, *, chat: Optional[Chat] = None,
                 chat_template: Optional[str] = None, chat_date: Optional[str] = None,
                 generation_prompt: bool = True) -> Union[Encoding, List[Encoding]]:
        """Ids, tokens and offsets of a text, of each of several texts, or of a chat, with the special tokens that
        the model adds."""
        if (text is None) == (chat is None):
            raise TypeError("tokenize() takes a text or texts, or a chat")
        arguments = _chat_options(chat_template, chat_date, generation_prompt)
        if chat is not None:
            arguments = self._chat(chat) + arguments
        texts = [] if text is None else [text] if isinstance(text, str) else [str(one) for one in text]
        try:
            reply = self._ask("tokenize", arguments, texts=texts)
        finally:
            self._forget(arguments)
        encodings = [Encoding(one["ids"], one["tokens"], [(begin, end) for begin, end in one["offsets"]],
                              one.get("text")) for one in reply["encodings"]]
        return encodings[0] if text is None or isinstance(text, str) else encodings

    def close(self) -> None:
        """Ends the process. Returned arrays stay valid."""
        self._closed = True
        self._finalizer()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "attnscope.Model(%r)" % self.path

    # The functions below communicate with the process.

    def _input(self, text: Optional[str], pair: Optional[str], decoder_text: Optional[str],
               ids: Optional[Iterable[int]], chat: Optional[Chat], image: Optional[Path],
               batch: Optional[Mapping[str, Any]]) -> List[str]:
        given = sum(one is not None for one in (text, ids, chat, image, batch))
        if given != 1:
            raise TypeError("one of text, ids, chat, image and batch has to be given, not %d" % given)
        arguments: List[str] = []
        if text is not None:
            arguments += _option("text", text)
        if ids is not None:
            arguments.append("--ids=" + ",".join(str(int(one)) for one in ids))
        if chat is not None:
            arguments += self._chat(chat)
        if image is not None:
            arguments.append("--image=" + os.path.abspath(os.path.expanduser(os.fspath(image))))
        if batch is not None:
            path = self._place("safetensors")
            write_tensors(path, {name: as_array(array) for name, array in batch.items()}, {})
            arguments.append("--batch=" + path)
        if pair is not None:
            arguments += _option("pair", pair)
        if decoder_text is not None:
            arguments += _option("decoder-text", decoder_text)
        return arguments

    def _chat(self, chat: Chat) -> List[str]:
        if isinstance(chat, str):
            return _option("chat-user", chat)
        path = self._place("json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(list(chat), file)
        return ["--chat=" + path]

    def _run(self, arguments: List[str]) -> Arrays:
        with self._lock:
            out = self._place("safetensors")
            try:
                reply = self._ask_locked("run", [*arguments, "--out=" + out])
                return Arrays(map_tensors(out), reply["sequences"])
            finally:
                self._remove(out)
                self._forget(arguments)

    def _place(self, ending: str) -> str:
        """The path of a new, empty file."""
        if self._closed:
            raise Error("This Model is closed.")
        handle, path = tempfile.mkstemp("." + ending, dir=self._kept.folder)
        os.close(handle)
        return path

    def _forget(self, arguments: List[str]) -> None:
        """Removes the input files of a request."""
        for argument in arguments:
            name, _, path = argument.partition("=")
            if name in ("--batch", "--chat"):
                self._remove(path)

    @staticmethod
    def _remove(path: str) -> None:
        try:
            os.unlink(path)
        except OSError:
            pass

    def _ask(self, command: str, arguments: List[str], **more: Any) -> Dict[str, Any]:
        with self._lock:
            return self._ask_locked(command, arguments, **more)

    def _ask_locked(self, command: str, arguments: List[str], **more: Any) -> Dict[str, Any]:
        process = self._process()
        self._number += 1
        number = self._number
        try:
            try:
                process.write({"id": number, command: arguments, **more})
                reply = process.read()
                while reply is not None and reply.get("id") != number:  # of what was cancelled
                    reply = process.read()
            except OSError:
                reply = None
        except BaseException:  # KeyboardInterrupt: what is computed is no longer wanted
            if process.is_usable():
                process.write({"cancel": True})
            raise
        if reply is None:
            words = process.last_words()
            self._kept.process = None
            process.end()
            raise Error(words)
        if "error" in reply:
            raise Error(reply["error"])
        return reply

    def _process(self) -> Process:
        if self._closed:
            raise Error("This Model is closed.")
        process = self._kept.process
        if process is not None and not process.is_usable():
            process.end()
            process = None
        if process is None:
            process = self._kept.process = Process(self.path)
        return process


def _option(name: str, value: str) -> List[str]:
    """An option whose value may begin with any character; an empty value is an argument of its own."""
    return ["--%s=%s" % (name, value)] if value else ["--" + name, ""]


def _chat_options(template: Optional[str], date: Optional[str], generation_prompt: bool) -> List[str]:
    arguments = [] if template is None else _option("chat-template", template)
    arguments += [] if date is None else _option("chat-date", date)
    return arguments + ([] if generation_prompt else ["--no-generation-prompt"])


def _run_options(emit: Iterable[str], layers: Optional[Layers], ablate: Iterable[Head], names: str) -> List[str]:
    parts = [emit] if isinstance(emit, str) else list(emit)
    heads = [ablate] if isinstance(ablate, str) else \
        [one if isinstance(one, str) else "%d.%d" % (one[0], one[1]) for one in ablate]
    arguments = ["--emit=" + ",".join(parts)] if parts else []
    if layers is not None:
        if isinstance(layers, range):
            if layers.step != 1 or not layers:
                raise ValueError("layers has to be a range of steps of 1 that is not empty")
            layers = (layers[0], layers[-1])
        arguments.append("--layers=%s" % (layers if isinstance(layers, (int, str)) else "%d-%d" % tuple(layers)))
    arguments += ["--ablate=" + ",".join(heads)] if heads else []
    return arguments + (["--names=" + names] if names != "transformers" else [])
