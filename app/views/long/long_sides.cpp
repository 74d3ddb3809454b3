// app/views/long: A, B and A − B of long results: which of them is shown, and on which scale.
#include <algorithm>
#include <cmath>

#include "app/state/long_state.hpp"
#include "app/ui/number_format.hpp"
#include "app/views/long/long_parts.hpp"

namespace attnscope {

namespace {

const Survey& survey_of_held(const Shown& shown) {
  return *shown.held->result->layer().surveys[static_cast<std::size_t>(shown.sequence())];
}

}  // namespace

LongSide long_side(const Scene& scene) { return scene.held ? scene.view.long_view->side : LongSide::A; }

std::string why_no_long_difference(const Shown& scene) {
  if (!scene.held) return {};
  const Dimensions &a = scene.result.dimensions, &b = scene.held->result->layer().dimensions;
  const auto sentence = [](const std::string& of_a, const std::string& of_b, const char* what) {
    return "What is shown has " + of_a + ", what is held has " + of_b + ": their " + what +
           " do not correspond. Hold what is shown (\\), or swap (X).";
  };
  if (a.queries != b.queries || a.keys != b.keys) {
    const auto size = [](const Dimensions& d) {
      return grouped(d.queries) + " × " + grouped(d.keys) + " cells";
    };
    return sentence(size(a), size(b), "cells");
  }
  const auto heads = [](const Dimensions& d) { return grouped(d.heads) + " heads"; };
  if (a.heads != b.heads) return sentence(heads(a), heads(b), "heads");
  const auto texts = [](const Dimensions& d) { return grouped(d.batch) + " texts"; };
  if (a.batch != b.batch) return sentence(texts(a), texts(b), "texts");
  return {};
}

bool shows_long_difference(const Scene& scene) {
  if (long_side(scene) != LongSide::Difference || !scene.held_tiles) return false;
  // The first look at an A that is computed anew has coarser cells: A − B comes with the next one.
  return why_no_long_difference(scene).empty() && survey_of(scene).cell == survey_of_held(scene).cell;
}

bool hidden_in_sight(const Scene& scene, std::int64_t h, Cell cell) {
  const auto hidden = [&](const Survey& survey) {
    return is_hidden(survey.problem(), h, cell.query, cell.key);
  };
  return hidden(survey_of(scene)) && (!shows_long_difference(scene) || hidden(survey_of_held(scene)));
}

ColourScale long_difference_scale(const Scene& scene, std::int64_t h, int level) {
  ColourScale scale{scene.ui.theme.scores, -1, 1, true, false};
  const auto& [low, high] = scene.view.locked_range;
  if (scene.view.range == RangeMode::Lock && low == -high && high > 0) {
    scale.low = low;
    scale.high = high;
    return scale;
  }
  const Survey& a = survey_of(scene);
  const Survey& b = survey_of_held(scene);
  const bool mean = scene.view.long_view->mean && level > 0;
  const auto of = [&](const Survey& survey) {
    return (mean ? survey.known.mean : survey.known.largest_cells()).matrix(h - survey.known.first_head);
  };
  if (of(a).rows() != of(b).rows() || of(a).cols() != of(b).cols())
    return scale;  // while A is looked at first
  const float most = (of(a) - of(b)).cwiseAbs().maxCoeff();
  if (most > 0 && std::isfinite(most)) {
    scale.low = -most;
    scale.high = most;
  }
  return scale;
}

}  // namespace attnscope
