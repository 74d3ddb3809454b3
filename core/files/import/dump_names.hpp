// core/files/import: finds attention layers among the names of tensors that some program has dumped. Knows
// nothing of files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// A tensor as its file lists it.
struct NamedRank {
  std::string name;
  int rank = 0;
};

/// The tensors of one layer: query, key and value, query and key, or weights alone.
struct LayerNames {
  std::string name;  // what the names have in common, "layers.0.attn"; of weights the whole name
  std::string query, key, value;
  std::string weights;
  std::string output = {}, output_bias = {};  // W_O and b_O; empty where there are none
  bool operator==(const LayerNames&) const = default;
};

/// Names are read word by word: anything but letters and digits ends a word, and so does the step from a
/// letter to a digit. Three tensors whose names differ in one word only, q, k and v (or query, key, value and
/// their plurals, in any case), are a layer; so is a tensor of three or four dimensions (two where
/// `any_rank`) whose last word is attn, attention, weights, pattern, probs or their like. The parameters of
/// models (names with weight, bias, proj or norm in them) are none of these. 2 comes before 10.
///
/// A value may be missing. Where a layer has q and k twice, once behind the word rot, as TransformerLens
/// calls them after rotary positions (hook_rot_q, hook_q), those are taken. The output matrix of a layer is a
/// tensor whose name ends in W_O, o_proj.weight, out_proj.weight, wo.weight, c_proj.weight or out.kernel
/// behind words that the query's name begins with, its numbers among them; b_O, o_proj.bias and so on go with
/// it.
std::vector<LayerNames> find_layers(std::span<const NamedRank> tensors, bool any_rank = false);

/// A layer that lacks its query or its key: what was looked for, "layers.0.attn.k".
struct IncompleteLayer {
  std::string name, there, missing;
};
std::vector<IncompleteLayer> find_incomplete(std::span<const NamedRank> tensors);
/// The name that the value of a layer without one would have.
std::string expected_value(const LayerNames&);

/// How W_O lies by its name: nn.Linear's weight is [d_model, heads · d_v], W_O of TransformerLens, c_proj of
/// GPT-2 and kernels of JAX are [heads · d_v, d_model] or [heads, d_v, d_model].
bool is_output_first(std::string_view output_name);

/// The words of a name in lower case: letters and digits apart.
std::vector<std::string> words_of_name(std::string_view name);

}  // namespace attnscope
