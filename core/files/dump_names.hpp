// core/files: finds attention layers among the names of tensors that some program has dumped. Knows nothing
// of files.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace attnscope {

/// A tensor as its file lists it.
struct NamedRank {
  std::string name;
  int rank = 0;
};

/// The tensors of one layer: query, key and value, or weights alone.
struct LayerNames {
  std::string name;  // what the names have in common, "layers.0.attn"; of weights the whole name
  std::string query, key, value;
  std::string weights;
  bool operator==(const LayerNames&) const = default;
};

/// Names are read word by word: anything but letters and digits ends a word, and so does the step from a
/// letter to a digit. Three tensors whose names differ in one word only, q, k and v (or query, key, value and
/// their plurals, in any case), are a layer; so is a tensor of three or four dimensions (two where
/// `any_rank`) whose last word is attn, attention, weights, pattern, probs or their like. The parameters of
/// models (names with weight, bias, proj or norm in them) are none of these. 2 comes before 10.
std::vector<LayerNames> find_layers(std::span<const NamedRank> tensors, bool any_rank = false);

}  // namespace attnscope
