// app/exports: the sentences about one cell of an attention pattern, which a description and an HTML page
// both say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace attnscope {

struct PatternCell {
  std::optional<std::int64_t> layer;  // of a model
  std::int64_t head = 0;
  std::string query, key;    // as they are called, without marks
  std::string weight;        // as it is written
  bool is_hidden = false;    // the mask hides the key from the query
  std::int64_t allowed = 0;  // keys that the query sees
  double entropy = 0;        // of the row, nats; NaN: n/a
};

/// In English with marks, see own_words.hpp: the weight, or that the mask hides the key.
std::string pattern_sentence(const PatternCell&);
/// The same of the row's entropy beside that of uniform attention; empty where there is none, or fewer than
/// two keys are allowed.
std::string row_sentence(const PatternCell&);

}  // namespace attnscope
