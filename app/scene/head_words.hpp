// app/scene: how heads and interventions on them are called, wherever they are named.
#pragma once

#include <string>
#include <string_view>

#include "core/engine/result.hpp"

namespace attnscope {

struct InterventionWords {
  std::string_view name;      // "Previous token"
  std::string_view note;      // "all on p − 1"
  std::string_view state;     // of a head that it was done to: "= previous"
  std::string_view sentence;  // "Intervention: previous token."
};
InterventionWords words(Intervention::Kind);
/// Whether the head gives zeros; its own pattern is kept in the stage before Intervention.
bool is_head_muted(const Document&, std::int64_t head);
/// Whether its own pattern mixes nothing any more: it is muted, or the mean of its rows stands in its place.
bool is_head_out(const Document&, std::int64_t head);

/// What a head does, as far as its weights bear it (see core/analysis/head_patterns.hpp), over all sequences.
struct HeadRole {
  std::string does;       // "previous token"; empty: nothing that has a name
  bool is_built = false;  // and it was built by hand to do that; else it was found
  std::string built_as;   // what it was built to do but does not do, or where that is not measured
  bool is_measured = false;
  double score = 0,
         uniform = 0;  // share of the weight on the pattern of either name, and uniform attention's
};
HeadRole role_of(const LayerResult&, std::int64_t head);
/// "previous token  .77", or "head 3" where it has no name.
std::string scored_name(const LayerResult&, std::int64_t head);
/// "Built by hand. …": sentences for a tooltip on what the name rests on; empty without one.
std::string words(const HeadRole&);

}  // namespace attnscope
