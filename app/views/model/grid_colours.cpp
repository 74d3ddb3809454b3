#include "app/views/model/grid_colours.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/focus_state.hpp"

namespace attnscope {
namespace {

constexpr float least_log_share = 1e-4f;  // of the last colour's value: the first one above zero

/// The measure that colours the grid; empty: the patterns themselves.
std::optional<HeadMeasure> measure_of(HeadColour colour) {
  switch (colour) {
    case HeadColour::Entropy: return HeadMeasure::Entropy;
    case HeadColour::Previous: return HeadMeasure::Previous;
    case HeadColour::Induction: return HeadMeasure::Induction;
    case HeadColour::First: return HeadMeasure::First;
    case HeadColour::Effect: return HeadMeasure::Effect;
    case HeadColour::Pattern: break;
  }
  return std::nullopt;
}

/// The number of keys of the attention that is looked at.
std::int64_t keys_of(const GridFrame& grid) {
  return attention_of(grid.run, grid.chosen.of).empty()
             ? 1
             : keys_seen(grid.spec, grid.run, grid.chosen.of, 0).keys;
}

}  // namespace

double grid_value(const GridFrame& grid, const ModelHead& head) {
  return measure(grid.reading, grid.facts, measure_of(grid.state.colour).value_or(HeadMeasure::Entropy), head)
      .value;
}

HeadMeasure told_measure(const GridFrame& grid, const ModelHead& head) {
  if (const std::optional<HeadMeasure> coloured = measure_of(grid.state.colour)) return *coloured;
  if (grid.state.order != GridOrder::Groups) return HeadMeasure::Entropy;
  switch (group_of(grid.reading, head)) {
    case HeadGroup::Previous: return HeadMeasure::Previous;
    case HeadGroup::Induction: return HeadMeasure::Induction;
    case HeadGroup::First: return HeadMeasure::First;
    case HeadGroup::Duplicate: return HeadMeasure::Duplicate;
    case HeadGroup::Rest: break;
  }
  return HeadMeasure::Entropy;
}

ColourScale grid_scale(const GridFrame& grid) {
  const Theme& theme = grid.ui.theme;
  if (grid.state.colour == HeadColour::Effect) {
    double most = 0;
    if (grid.reading.effects)
      for (const AblationEffect& effect : grid.reading.effects->effects)
        if (std::abs(effect.top_logit_change) > most) most = std::abs(effect.top_logit_change);
    const auto high = static_cast<float>(most > 0 ? most : 1);
    return {theme.scores, -high, high, true};
  }
  ColourScale scale{theme.weights, 0, 1};
  if (grid.state.colour != HeadColour::Pattern) return scale;
  scale.high = grid_high(grid);
  scale.log = focus_of(grid.scene.view).log;
  if (scale.log) scale.low = scale.high * least_log_share;
  return scale;
}

const ValueNorms* grid_norms(const GridFrame& grid) {
  const bool is_of_run = &grid.run == grid.reading.run.get();
  return grid.state.value == CellValue::Contribution && is_of_run ? grid.reading.value_norms.get() : nullptr;
}

float high_of_weights(std::int64_t keys) {
  float most = 1;
  for (std::int64_t n = 64; n < keys && most > 1.f / 16; n *= 4) most /= 2;
  return most;
}

float grid_high(const GridFrame& grid) {
  if (grid_norms(grid) != nullptr) return grid.reading.usual_contribution;
  return focus_of(grid.scene.view).log ? 1 : high_of_weights(keys_of(grid));
}

bool pools_by_maximum(const GridFrame& grid) {
  constexpr std::int64_t many = 100;  // tokens
  return grid_norms(grid) == nullptr && keys_of(grid) > many;
}

GridEnds grid_ends(const GridFrame& grid, bool pooled) {
  const ColourScale scale = grid_scale(grid);
  const bool patterns = grid.state.colour == HeadColour::Pattern;
  const auto number = [](float value) { return tight(static_cast<double>(value)); };
  const bool largest = patterns && pooled && pools_by_maximum(grid);
  const std::string least = scale.low == 0 ? "0"
                            : scale.log    ? number(scale.low)
                                           : fixed(static_cast<double>(scale.low), 1);
  std::string low = largest ? "max " + least : least;
  if (scale.log) low = largest ? "max, log " + least : "log " + least;
  const bool clips = patterns && (grid_norms(grid) != nullptr || scale.high < 1);
  return {low, scale.high == 1 && !clips ? "1" : (clips ? "≥ " : "") + number(scale.high)};
}

std::string grid_note(const GridFrame& grid) {
  if (grid.state.order == GridOrder::Groups)
    return grid.reading.scores ? "by what they do here and on repeated tokens"
                               : "what they do is still being measured";
  std::string words;
  switch (grid.state.colour) {
    case HeadColour::Pattern:
      words = grid_norms(grid) != nullptr ? "‖α·v·W_O‖"
              : pools_by_maximum(grid)    ? "weights, of each cell the largest"
                                          : "weights";
      break;
    case HeadColour::Entropy: words = "entropy ÷ ln n"; break;
    case HeadColour::Previous: words = "weight on the token before"; break;
    case HeadColour::Induction: words = "weight on what followed the same token"; break;
    case HeadColour::First: words = "weight on the first token"; break;
    case HeadColour::Effect: words = "Δ logit when zeroed"; break;
  }
  if (grid.state.order == GridOrder::Largest) return words + "  ·  the largest first";
  words += "  ·  rows are layers";
  bool shares = false;
  for (const GridPart& part : grid_parts(grid))
    shares = shares || (part.group > 1 && part.group < part.heads.front());
  if (shares && !grid.scene.compact) words += "  ·  a line joins heads that share keys and values";
  return words;
}

}  // namespace attnscope
