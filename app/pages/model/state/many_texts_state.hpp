// app/pages/model: many texts at once, of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/kit/table.hpp"

namespace attnscope {

class ManyTexts;  // app/results/many_texts.hpp
enum class ManyTextsKind : std::uint8_t;

/// Of the moment.
struct ManyTextsState {
  bool open = false, opens = false;      // the card; in this frame
  std::string file;                      // as its path is typed
  ManyTextsKind kind{};                  // scores of the heads
  std::uint8_t effect = 0, patched = 0;  // which of those that the card has
  int score = 2;                         // likewise: induction
  TableOrder order{.sorted_by = 1};      // of the heads: by their mean
  std::shared_ptr<ManyTexts> texts;      // shared by copies of the state; null: nothing was begun
};

}  // namespace attnscope
