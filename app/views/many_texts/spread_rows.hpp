// app/views/many_texts: heads with mean and spread of one measure over many texts, as a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/state/model_state.hpp"
#include "app/ui/ui.hpp"
#include "core/models/config/spec.hpp"
#include "core/readouts/over_texts/spread.hpp"

namespace attnscope {

struct SpreadLine {
  ModelHead head;
  const MeasureSpread* found = nullptr;
};
/// The largest magnitude of the mean first, those that have none last.
void sort_by_mean(std::vector<SpreadLine>&);

struct SpreadColumns {
  bool of_scores = true;  // beside them stands what uniform attention has, else both ends
  std::string_view counted = "texts";
};
/// The first of the lines. Returns the y below them.
float draw_spread_rows(const Ui&, const Box& top, const ModelSpec&, const std::vector<SpreadLine>&,
                       const SpreadColumns&);

/// "–" for what is not known.
std::string known_number(double value, int places);

}  // namespace attnscope
