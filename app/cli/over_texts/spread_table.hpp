// app/cli/over_texts: mean and spread of head measures over many texts or pairs, as a table: for people, as
// CSV and as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/models/run_heads.hpp"
#include "core/readouts/over_texts/spread.hpp"

namespace attnscope {

/// One measure of one head. Rows of a head are adjacent.
struct SpreadRow {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0, head = 0;
  std::string_view measure;
  const MeasureSpread* spread = nullptr;
};

/// attention,layer,head,score,n,mean,sd,min,max,uniform,without,nan.
std::string spread_csv(std::span<const SpreadRow>);
/// [{attention, layer, head, scores: {name: {n, mean, …}}}]; unknown numbers are null.
nlohmann::ordered_json spread_json(std::span<const SpreadRow>);
/// The same in aligned columns, with a line of names.
std::string spread_columns(std::span<const SpreadRow>);

/// {n, mean, sd, min, max}.
nlohmann::ordered_json spread_json(const Spread&);

}  // namespace attnscope
