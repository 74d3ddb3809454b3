// app/pages/model: heads with mean and spread of one measure over many texts, as a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/kit/table.hpp"
#include "app/state/model_head.hpp"
#include "core/models/config/spec.hpp"
#include "core/readouts/over_texts/spread.hpp"

namespace attnscope {

struct SpreadLine {
  ModelHead head;
  const MeasureSpread* found = nullptr;
};
struct SpreadColumns {
  bool of_scores = true;  // beside them stands what uniform attention has, else both ends
  std::string_view counted = "texts";
};
/// A row a head: mean, deviation, what they are compared with, how many are counted. The table refers to the
/// spec and to what was found, and must not outlive them.
Table spread_table(const ModelSpec&, std::vector<SpreadLine>, const SpreadColumns&);

/// "–" for what is not known.
std::string known_number(double value, int places);

}  // namespace attnscope
