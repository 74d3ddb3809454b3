// app/exports: sentences about one cell of an attention pattern, which descriptions and HTML pages share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace attnscope {

struct PatternCell {
  std::optional<std::int64_t> layer;  // of a model
  std::int64_t head = 0;
  std::string query, key;    // labels, without marks
  std::string weight;        // as text
  bool is_hidden = false;    // the mask hides the key from the query
  std::int64_t allowed = 0;  // keys that the query sees
  double entropy = 0;        // of the row, nats; NaN: n/a
};

/// In English with marks, see own_words.hpp: the weight, or that the mask hides the key.
std::string pattern_sentence(const PatternCell&);
/// The entropy of the row beside that of uniform attention; empty if the entropy is NaN, or if fewer than two
/// keys are allowed.
std::string row_sentence(const PatternCell&);

}  // namespace attnscope
