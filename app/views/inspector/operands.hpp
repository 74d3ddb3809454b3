// app/views/inspector: numbers of vectors under the hand. Where they are given they are edited in place;
// where they follow from others a click says from which and leads there.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// One row of a stage of vectors, as the pages show it.
struct Operand {
  Stage stage = Stage::Query;
  std::int64_t b = 0, h = 0, row = 0;  // h: a head of the stage
  std::string symbol, token;           // "q", "sat"
  std::span<const float> values;
};

/// Where its numbers stand. `label` is unique and takes the mouse.
struct OperandPlaces {
  const char* label;
  Box area;
  std::function<Box(std::int64_t dimension)> box_of;
  std::function<std::optional<std::int64_t>(ImVec2)> under;
};

struct OperandTouch {
  std::optional<std::int64_t> hovered;  // the dimension under the mouse
  std::optional<std::int64_t> edited;   // the one that is typed into, scrubbed or offered a list
};

/// Takes mouse and keyboard of the numbers, which the caller has drawn before.
OperandTouch take_operand(Scene&, const Operand&, const OperandPlaces&);

}  // namespace attnscope
