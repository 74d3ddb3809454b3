// core/files/import: what is assumed of a dump that does not say whether its attention is causal or its
// positions are applied, from names alone. Always with the reason, which is shown beside the guess.
#pragma once

#include <string>
#include <string_view>

#include "core/files/import/dump_facts.hpp"
#include "core/files/import/dump_names.hpp"

namespace attnscope {

struct CausalGuess {
  bool causal = false;
  std::string why;
};
/// `file`: its name, which may be the model's.
CausalGuess guess_causal(std::string_view file, const LayerNames&, std::int64_t queries, std::int64_t keys);

struct PositionsGuess {
  Positions positions = Positions::None;  // None: applied, or the model has none that are
  std::string why;                        // empty: the names say it, TransformerLens' hook_rot_q
};
PositionsGuess guess_positions(std::string_view file, const LayerNames&, const DumpFacts&);

}  // namespace attnscope
