// app/state: how a model is looked at: its grid of heads, its residual stream, its prediction.
#pragma once

#include <cstdint>
#include <optional>

namespace attnscope {

/// What the cells of the grid show.
enum class HeadColour : std::uint8_t { Pattern, Entropy, Previous, Induction, First, Effect };
/// How they stand.
enum class GridOrder : std::uint8_t { Layers, Groups };
/// What the residual stream's cells show.
enum class StreamView : std::uint8_t { Lens, Norm, Inside };
/// α, or ‖α·v·W_O‖.
enum class CellValue : std::uint8_t { Weight, Contribution };

struct ModelState {
  HeadColour colour = HeadColour::Pattern;
  GridOrder order = GridOrder::Layers;
  StreamView stream = StreamView::Lens;
  CellValue value = CellValue::Weight;
  bool token_dims = true;                     // pointing at a token dims each head to the most it gives it
  std::optional<std::int64_t> predicted_row;  // whose prediction is shown; nothing: the usual one
  bool why = false;  // the split of the locked cell's score stands in the place of the grid

  // Of the moment.
  struct Head {
    int block = 0;
    std::int64_t head = 0;
    bool operator==(const Head&) const = default;
  };
  std::optional<Head> hovered;   // pointed at in the grid: previewed large
  bool without_changes = false;  // pressed: the model as it is, without what was changed inside
};

}  // namespace attnscope
