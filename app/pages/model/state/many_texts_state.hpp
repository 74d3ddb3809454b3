// app/pages/model: state of the card for many texts of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/kit/table.hpp"

namespace attnscope {

class ManyTexts;  // app/results/many_texts.hpp
enum class ManyTextsKind : std::uint8_t;

/// Not kept in a session.
struct ManyTextsState {
  bool open = false, opens = false;      // the card is open; it opens in this frame
  std::string file;                      // the typed path
  ManyTextsKind kind{};                  // scores of the heads
  std::uint8_t effect = 0, patched = 0;  // index among the measures that the card offers
  int score = 2;                         // likewise: induction
  TableOrder order{.sorted_by = 1};      // of the heads: by their mean
  std::shared_ptr<ManyTexts> texts;      // shared by copies of the state; null: nothing was run
};

}  // namespace attnscope
