// app/views/inspector: mouse and keyboard on the numbers of vectors. Given numbers are edited in place; on a
// computed one a click explains where it comes from and leads there.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// One row of a stage of vectors that a page shows.
struct Operand {
  Stage stage = Stage::Query;
  std::int64_t b = 0, h = 0, row = 0;  // h: a head of the stage
  std::string symbol, token;           // "q", "sat"
  std::span<const float> values;
};

/// The places of its numbers. `label`: unique, the ID of the area that takes the mouse.
struct OperandPlaces {
  const char* label;
  Box area;
  std::function<Box(std::int64_t dimension)> box_of;
  std::function<std::optional<std::int64_t>(ImVec2)> under;
};

struct OperandTouch {
  std::optional<std::int64_t> hovered;  // the dimension under the mouse
  std::optional<std::int64_t> edited;   // the one that is typed into, scrubbed, or whose list is open
};

/// Handles mouse and keyboard on the numbers; the caller has drawn them before.
OperandTouch take_operand(Scene&, const Operand&, const OperandPlaces&);

}  // namespace attnscope
