// core/analysis: from the sums of a row to its measures.
#pragma once

#include <limits>
#include <optional>
#include <span>

#include "core/analysis/mask_facts.hpp"
#include "core/analysis/row_sums.hpp"

namespace attnscope {

/// A measure that does not exist for a row: "n/a".
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The settings of a head that turn the sums of a row into measures.
struct RowRules {
  double temperature = 1;
  std::optional<double> sink;  // logit that joins the softmax
  Intervention::Kind kind = Intervention::Kind::None;
  bool is_linear = false;
  bool has_own_entropy = false;  // the weights are not the softmax of the masked scores
};
RowRules row_rules(const Document&, std::int64_t head);

/// All measures of a row but `dropped`. Updates the head's not_finite and largest. `weights`: the row's, from
/// which the entropy is computed if has_own_entropy or if the row has no key; may be empty where
/// has_own_entropy is false and a row without a key has no weights.
RowMeasures measures_of_row(const RowFacts&, const SumsOfRow&, const RowRules&,
                            std::span<const float> weights, HeadMeasures&);

}  // namespace attnscope
