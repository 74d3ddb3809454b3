// core/files/import: finds attention layers by the names of the tensors that a program has dumped.
// It does not read files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// A tensor's name and number of dimensions.
struct NamedRank {
  std::string name;
  int rank = 0;
};

/// The tensors of one layer: query, key and value, query and key, or weights alone.
struct LayerNames {
  std::string name;  // the common part of the names, "layers.0.attn"; for weights the whole name
  std::string query, key, value;
  std::string weights;
  std::string output = {}, output_bias = {};  // W_O and b_O; empty if missing
  bool operator==(const LayerNames&) const = default;
};

/// Names are split into words: any character but letters and digits ends a word, and so does the step from a
/// letter to a digit. Three tensors whose names differ only in one word, q, k and v (or query, key, value and
/// their plurals, in any case), are a layer; so is a tensor of three or four dimensions (two if `any_rank`)
/// whose last word is attn, attention, weights, pattern, probs or similar. Parameters of models (names with
/// weight, bias, proj or norm in them) are not layers. 2 comes before 10.
///
/// The value may be missing. If a layer has q and k twice, once behind the word rot, as in TransformerLens
/// after rotary positions (hook_rot_q beside hook_q), the rotated ones are taken. The output matrix of a
/// layer is a tensor whose name ends in W_O, o_proj.weight, out_proj.weight, wo.weight, c_proj.weight or
/// out.kernel and otherwise consists of words that the query's name begins with, including its numbers; b_O,
/// o_proj.bias and so on go with it.
std::vector<LayerNames> find_layers(std::span<const NamedRank> tensors, bool any_rank = false);

/// A layer without query or without key, and the name that was looked for: "layers.0.attn.k".
struct IncompleteLayer {
  std::string name, there, missing;
};
std::vector<IncompleteLayer> find_incomplete(std::span<const NamedRank> tensors);
/// The name that the missing value of a layer would have.
std::string expected_value(const LayerNames&);

/// Whether W_O has the output dimension first, judged by its name: nn.Linear's weight is [d_model, heads ·
/// d_v]; W_O of TransformerLens, c_proj of GPT-2 and kernels of JAX are [heads · d_v, d_model] or [heads,
/// d_v, d_model].
bool is_output_first(std::string_view output_name);

/// The words of a name in lower case, split between letters and digits.
std::vector<std::string> words_of_name(std::string_view name);

}  // namespace attnscope
