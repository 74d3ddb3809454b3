// app/pages/model: heads with mean and spread of one measure over many texts, as a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/kit/table.hpp"
#include "app/state/model_head.hpp"
#include "core/readouts/over_texts/spread.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

struct SpreadLine {
  ModelHead head;
  const MeasureSpread* found = nullptr;
};
struct SpreadColumns {
  bool of_scores = true;  // columns with the uniform baseline; else with smallest and largest
  std::string_view counted = "texts";
};
/// One row for each head: mean, deviation, baseline or ends, number of texts. The table refers to the spec
/// and to the results, and must not outlive them.
Table spread_table(const ModelSpec&, std::vector<SpreadLine>, const SpreadColumns&);

/// "–" for an unknown number.
std::string known_number(double value, int places);

}  // namespace attnscope
