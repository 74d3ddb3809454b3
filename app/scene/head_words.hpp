// app/scene: names of heads and of interventions on them, for all views.
#pragma once

#include <string>
#include <string_view>

#include "core/engine/result.hpp"

namespace attnscope {

struct InterventionWords {
  std::string_view name;      // "Previous token"
  std::string_view note;      // "all on p − 1"
  std::string_view state;     // of a head with the intervention: "= previous"
  std::string_view sentence;  // "Intervention: previous token."
};
InterventionWords words(Intervention::Kind);
/// Whether the head's output is zero; its own pattern is kept in the stage before Intervention.
bool is_head_muted(const Document&, std::int64_t head);
/// Whether its own pattern is not used for mixing: it is muted, or replaced by the mean of its rows.
bool is_head_out(const Document&, std::int64_t head);

/// The role of a head that its weights confirm (see core/analysis/head_patterns.hpp), over all sequences.
struct HeadRole {
  std::string does;       // "previous token"; empty: no named role
  bool is_built = false;  // it was built by hand for that; else it was found
  std::string built_as;   // the role it was built for, if its weights do not show it or were not measured
  bool is_measured = false;
  double score = 0,
         uniform = 0;  // share of the weight on the pattern of either name, and uniform attention's
};
HeadRole role_of(const LayerResult&, std::int64_t head);
/// "previous token  .77", or "head 3" without a role.
std::string scored_name(const LayerResult&, std::int64_t head);
/// "Built by hand. …": sentences for a tooltip on the evidence for the role; empty without one.
std::string words(const HeadRole&);

}  // namespace attnscope
