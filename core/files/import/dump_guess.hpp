// core/files/import: guesses, from names alone, whether a dump's attention is causal and whether its
// positions are applied, for dumps that do not say so. Each guess has its reason, which is shown beside it.
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
/// `file`: the file's name, which may be the model's.
CausalGuess guess_causal(std::string_view file, const LayerNames&, std::int64_t queries, std::int64_t keys);

struct PositionsGuess {
  Positions positions = Positions::None;  // None: already applied, or the model has none to apply
  std::string why;                        // empty if the names say it (hook_rot_q of TransformerLens)
};
PositionsGuess guess_positions(std::string_view file, const LayerNames&, const DumpFacts&);

}  // namespace attnscope
