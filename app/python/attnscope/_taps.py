"""Functions in which attention calls are observed: transformers' attention interface and PyTorch's own functions."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ._calls import Call, four_axes
from ._tapping import Tap, original_of, running_tapping


# ---- transformers' attention interface ----------------------------------------------------------------------------

def _causal_of(implementation: str, module: Any, queries: int, has_mask: bool,
               keywords: Dict[str, Any]) -> Tuple[str, bool]:
    """How this implementation treats a missing mask (see Call.causal), and whether the layer may be causal at all."""
    said, own = keywords.get("is_causal"), getattr(module, "is_causal", True)
    hint = bool(own if said is None else said)
    may_be = hint or bool(own and (has_mask or queries == 1))  # False is said then of causal layers, too
    if "flash" in implementation:
        return ("last" if hint else ""), hint
    if implementation in ("eager", "paged|eager", "flex_attention"):
        return "", may_be  # their masks say all
    return ("first" if hint and queries > 1 else ""), may_be


def _flash_mask(mask: Optional[Tensor], hint: bool, queries: int, keys: int, window: Optional[int],
                keywords: Dict[str, Any]) -> Optional[Tensor]:
    """The mask of flash attention from its arguments: the padding keys, [batch, keys], or the begins of packed
    sequences."""
    begins = keywords.get("cu_seq_lens_k")
    seen: Optional[Tensor] = None
    if mask is not None:
        seen = mask[:, None, None, -keys:].bool()
    elif begins is not None:
        part = torch.searchsorted(begins, torch.arange(keys, device=begins.device), right=True)
        seen = (part[-queries:, None] == part[None, :])[None, None]
    if seen is not None and hint:
        rows = torch.arange(keys - queries, keys, device=seen.device)[:, None]
        columns = torch.arange(keys, device=seen.device)[None, :]
        seen = seen & (columns <= rows)
        if window:
            seen = seen & (columns > rows - window)
    return seen


def _interface_call(implementation: str, module: Any, q: Tensor, k: Tensor, v: Tensor, mask: Any,
                    keywords: Dict[str, Any], result: Any) -> Call:
    scale, window = keywords.get("scaling"), keywords.get("sliding_window")
    causal, hint = _causal_of(implementation, module, q.shape[2], mask is not None, keywords)
    window = window if isinstance(window, int) and not isinstance(window, bool) and window > 0 and hint else None
    if "flash" in implementation:
        mask = _flash_mask(mask, hint, q.shape[2], k.shape[2], window, keywords)
    elif mask is not None and not isinstance(mask, Tensor):  # flex attention's BlockMask
        mask = torch.nn.attention.flex_attention.create_mask(mask.mask_mod, mask.shape[0], mask.shape[1], q.shape[2],
                                                             k.shape[2], device=str(q.device))
    sinks = keywords.get("s_aux")
    sinks = keywords.get("sinks", getattr(module, "sinks", None)) if sinks is None else sinks
    softcap = keywords.get("softcap")
    return Call(q, k, v, "", q.shape[-1] ** -0.5 if scale is None else float(scale), mask, keywords.get("position_bias"),
                causal, hint, window, softcap,
                sinks if isinstance(sinks, Tensor) and sinks.numel() == q.shape[1] else None,
                result[0].detach() if isinstance(result, tuple) else None)


def _seen_interface(function: Callable[..., Any], implementation: str) -> Callable[..., Any]:
    def attention(module: Any, *args: Any, **kwargs: Any) -> Any:
        tapping = running_tapping()
        if tapping is None or not tapping.owns(module):
            return function(module, *args, **kwargs)
        with tapping.inside():
            result = function(module, *args, **kwargs)

        def call() -> Call:
            named = dict(zip(("query", "key", "value", "attention_mask"), args), **kwargs)
            q, k, v, mask = (named.pop(name, None) for name in ("query", "key", "value", "attention_mask"))
            return _interface_call(implementation or "eager", module, q, k, v, mask, named, result)

        tapping.take(module, call)
        return result

    return attention


def _get_interface(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def get_interface(self: Any, attn_implementation: Any, default: Any) -> Any:
        function = original(self, attn_implementation, default)
        return function if running_tapping() is None else _seen_interface(function, attn_implementation)

    return get_interface


def _get_item(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def get_item(self: Any, key: Any) -> Any:
        function = original(self, key)
        return function if running_tapping() is None else _seen_interface(function, key)

    return get_item


# ---- PyTorch's own functions --------------------------------------------------------------------------------------

def _sdpa_call(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], is_causal: bool,
               scale: Optional[float], is_cross: bool, output: Tensor) -> Call:
    def shaped(tensor: Tensor) -> Tensor:
        if tensor.dim() == 4:
            return tensor
        return tensor.flatten(0, -4) if tensor.dim() > 4 else tensor[None, None] if tensor.dim() == 2 else tensor[:, None]

    mask = attn_mask
    if mask is not None and query.dim() == 3 and mask.dim() == 3:
        mask = mask[:, None]
    elif mask is not None and mask.dim() > 4:
        mask = mask.expand(*query.shape[:-3], *mask.shape[-3:]).flatten(0, -4)
    out = shaped(output.detach()).transpose(1, 2)
    return Call(shaped(query), shaped(key), shaped(value), "cross" if is_cross else "",
                query.shape[-1] ** -0.5 if scale is None else float(scale), mask, None, "first" if is_causal else "",
                True, output=out)


def _seen_sdpa(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                     is_causal: bool = False, *args: Any, **kwargs: Any) -> Any:
        result = original(query, key, value, attn_mask, dropout_p, is_causal, *args, **kwargs)
        tapping = running_tapping()
        owner = None if tapping is None else tapping.owner()
        if tapping is not None and owner is not None:
            is_cross = tapping.is_cross
            if is_cross is None:
                is_cross = query.shape[-2] > key.shape[-2]
            tapping.take(owner, lambda: _sdpa_call(query, key, value, attn_mask, is_causal, kwargs.get("scale"),
                                                   bool(is_cross), result))
        return result

    return scaled_dot_product_attention


def _heads(rows: Tensor, heads: int) -> Tensor:
    """[batch, n, heads · d] as [batch, heads, n, d]."""
    return rows.unflatten(-1, (heads, -1)).transpose(1, 2)


def _added(mask: Optional[Tensor]) -> Optional[Tensor]:
    """MultiheadAttention's bool masks are True where they hide; ours are True where a query may look."""
    return ~mask if mask is not None and mask.dtype == torch.bool else mask


def _together(a: Optional[Tensor], b: Optional[Tensor]) -> Optional[Tensor]:
    if a is None or b is None:
        return b if a is None else a
    if a.dtype == torch.bool and b.dtype == torch.bool:
        return a & b
    sum_ = torch.zeros((), dtype=torch.float32, device=a.device)
    for one in (a, b):
        sum_ = sum_ + (torch.where(one, 0.0, -torch.inf) if one.dtype == torch.bool else one.float())
    return sum_


def _projected(given: Dict[str, Any]) -> Call:
    """MultiheadAttention with need_weights=True computes its weights where no tap can observe them, so its queries,
    keys and values are computed once more."""
    batch_second = given["query"].dim() == 3
    rows = [given[name].detach().transpose(0, 1) if batch_second else given[name].detach()[None]
            for name in ("query", "key", "value")]
    if given["use_separate_proj_weight"]:
        weights = [given[name].detach() for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")]
    else:
        weights = list(given["in_proj_weight"].detach().chunk(3))
    biases = [None] * 3 if given["in_proj_bias"] is None else given["in_proj_bias"].detach().chunk(3)
    heads = given["num_heads"]
    q, k, v = (F.linear(row, weight, bias) for row, weight, bias in zip(rows, weights, biases))
    padding, mask = _added(given["key_padding_mask"]), _added(given["attn_mask"])
    if mask is not None:
        mask = mask.unflatten(0, (-1, heads)) if mask.dim() == 3 else mask
        mask = four_axes(mask)
    if padding is not None:
        padding = padding[:, None, None] if padding.dim() == 2 else padding[None, None, None]
    mask = _together(mask, padding)
    for extra, name in ((given["bias_k"], "k"), (given["bias_v"], "v")):
        if extra is not None:
            more = extra.detach().expand(q.shape[0], -1, -1)
            k, v = (torch.cat([k, more], 1), v) if name == "k" else (k, torch.cat([v, more], 1))
    if given["add_zero_attn"]:
        k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))
    if mask is not None and k.shape[1] > mask.shape[-1]:
        mask = F.pad(mask.float() if mask.dtype != torch.bool else torch.where(mask, 0.0, -torch.inf),
                     (0, k.shape[1] - mask.shape[-1]))
    return Call(_heads(q, heads), _heads(k, heads), _heads(v, heads), "", (q.shape[-1] // heads) ** -0.5, mask)


def _seen_mha(original: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def multi_head_attention_forward(*args: Any, **kwargs: Any) -> Any:
        tapping = running_tapping()
        if tapping is None:
            return original(*args, **kwargs)
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        is_cross = given.arguments["query"] is not given.arguments["key"]
        if not given.arguments["need_weights"]:
            before, tapping.is_cross = tapping.is_cross, is_cross
            try:
                return original(*args, **kwargs)  # it calls scaled_dot_product_attention, which is seen
            finally:
                tapping.is_cross = before
        owner = tapping.owner()
        with tapping.inside():
            result = original(*args, **kwargs)
        if owner is not None:
            tapping.take(owner, lambda: _projected(given.arguments)._replace(kind="cross" if is_cross else ""))
        return result

    return multi_head_attention_forward


def _packed_call(rows: Tensor, heads: int, weight: Tensor, bias: Optional[Tensor], mask: Optional[Tensor],
                 type_: Optional[int]) -> Call:
    """For the fused functions: one matrix makes queries, keys and values. ``rows``: [batch, n, width], maybe nested."""
    seen: Optional[Tensor] = None
    if rows.is_nested:
        lengths = torch.tensor([len(one) for one in rows.unbind()], device=rows.device)
        rows = rows.to_padded_tensor(0.0)
        seen = (torch.arange(rows.shape[1], device=rows.device)[None] < lengths[:, None])[:, None, None]
    if mask is not None:
        seen = _together(seen, _added(mask[:, None, None] if type_ == 1 else four_axes(mask)))
    q, k, v = F.linear(rows, weight.detach(), None if bias is None else bias.detach()).chunk(3, -1)
    return Call(_heads(q, heads), _heads(k, heads), _heads(v, heads), "", (q.shape[-1] // heads) ** -0.5, seen)


def _seen_fused_mha(original: Callable[..., Any]) -> Callable[..., Any]:
    def native_multi_head_attention(query: Any, key: Any, value: Any, width: int, heads: int, weight: Any, bias: Any,
                                    out_weight: Any, out_bias: Any, mask: Any = None, need_weights: bool = True,
                                    average_attn_weights: bool = True, mask_type: Optional[int] = None) -> Any:
        result = original(query, key, value, width, heads, weight, bias, out_weight, out_bias, mask, need_weights,
                          average_attn_weights, mask_type)
        tapping = running_tapping()
        owner = None if tapping is None else tapping.owner()
        if tapping is not None and owner is not None:
            tapping.take(owner, lambda: _packed_call(query.detach(), heads, weight, bias, mask, mask_type))
        return result

    return native_multi_head_attention


def _seen_fused_layer(original: Callable[..., Any]) -> Callable[..., Any]:
    def transformer_encoder_layer_fwd(src: Any, width: int, heads: int, weight: Any, bias: Any, out_weight: Any,
                                      out_bias: Any, gelu: bool, norm_first: bool, eps: float, norm_weight: Any,
                                      norm_bias: Any, *rest: Any) -> Any:
        result = original(src, width, heads, weight, bias, out_weight, out_bias, gelu, norm_first, eps, norm_weight,
                          norm_bias, *rest)
        tapping = running_tapping()
        owner = None if tapping is None else tapping.owner()
        if tapping is not None and owner is not None:
            mask, type_ = (rest[6:8] + (None, None))[:2]

            def call() -> Call:
                rows = src.detach()
                if norm_first:
                    rows = F.layer_norm(rows, (width,), norm_weight.detach(), norm_bias.detach(), eps)
                return _packed_call(rows, heads, weight, bias, mask, type_)

            tapping.take(getattr(owner, "self_attn", owner), call)
        return result

    return transformer_encoder_layer_fwd


# ---- all of them --------------------------------------------------------------------------------------------------

def taps_for(model: torch.nn.Module) -> List[Tap]:
    """All functions through which the model may compute attention."""
    taps: List[Tap] = [(F, "scaled_dot_product_attention", _seen_sdpa), (F, "multi_head_attention_forward", _seen_mha)]
    for name, seen in (("_native_multi_head_attention", _seen_fused_mha),
                       ("_transformer_encoder_layer_fwd", _seen_fused_layer)):
        if hasattr(torch, name):
            taps.append((torch, name, seen))
    homes = {sys.modules.get(type(module).__module__) for module in model.modules()} - {None, F}
    function = original_of(F, "scaled_dot_product_attention")
    for home in homes:  # that imported the function by its name
        for name, value in list(vars(home).items()):
            if value is function:
                taps.append((home, name, _seen_sdpa))
    interface = getattr(sys.modules.get("transformers.modeling_utils"), "AttentionInterface", None)
    if interface is not None and hasattr(interface, "get_interface"):
        taps.append((interface, "get_interface", _get_interface))
    elif interface is not None:  # before transformers 4.57
        taps.append((interface, "__getitem__", _get_item))
        for home in homes:
            if hasattr(home, "ALL_ATTENTION_FUNCTIONS") and hasattr(home, "eager_attention_forward"):
                taps.append((home, "eager_attention_forward", functools.partial(_seen_interface, implementation="eager")))
    return taps


