// app/views/model: facts about a model from its reading: its heads, their measures beside chance, and the
// names of heads, layers and tokens.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/results/predicted_name.hpp"
#include "app/state/model_head.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/keys_seen.hpp"

namespace attnscope {

struct Scene;

/// The attentions of a model, in their order on screen: encoder, decoder, cross.
std::vector<AttentionOf> attentions_of(const ModelSpec&);
inline int heads_in(const ModelSpec& spec, AttentionOf of, int block) {
  return spec.stack(of).blocks[static_cast<std::size_t>(block)].heads;
}
inline int blocks_in(const ModelSpec& spec, AttentionOf of) {
  return static_cast<int>(spec.stack(of).blocks.size());
}
/// Every head of every attention, block after block.
std::vector<ModelHead> all_model_heads(const ModelSpec&);

/// The run on screen: the one without the changes while that is chosen.
const std::shared_ptr<const ModelRun>& shown_run(const Scene&);

/// A run of a reading, and the numbers that were computed with it.
struct ModelFacts {
  std::shared_ptr<const ModelRun> run;
  std::shared_ptr<const RunNumbers> numbers;
};
/// Of the run with the changes inside the model.
ModelFacts changed_facts(const ModelReading&);
/// Of shown_run().
ModelFacts model_facts_of(const Scene&);
/// NaN if it is not known.
double entropy_of(const ModelFacts&, const ModelHead&);

/// What is measured of a head.
enum class HeadMeasure : std::uint8_t { Previous, First, Induction, Duplicate, Entropy, Effect };
struct MeasuredHead {
  double value = std::numeric_limits<double>::quiet_NaN();   // NaN: not known, or not known yet
  double chance = std::numeric_limits<double>::quiet_NaN();  // of uniform attention; of entropy: the median
  bool is_known() const { return !std::isnan(value); }
};
/// Previous and first token on this text; induction and duplicate on repeated random tokens; the effect of
/// ablating the head on the logit of the likeliest token.
MeasuredHead measure(const ModelReading&, const ModelFacts&, HeadMeasure, const ModelHead&);
/// The rank among all heads whose measure is known, the largest first (of effects the largest magnitude); 0
/// if it is not known, and for effects while some are still being computed.
struct Rank {
  std::int64_t place = 0, of = 0;
};
Rank rank_of(const ModelReading&, const ModelFacts&, HeadMeasure, const ModelHead&);
/// The head whose zeroing alone changes the logit of the likeliest token most; of equals the first. Empty
/// while effects are still being computed.
std::optional<ModelHead> strongest_head(const ModelReading&);
/// Σ |Δ logit| over the heads of a block whose effects are known.
struct BlockEffect {
  double sum = 0;
  int known = 0, heads = 0;
};
std::vector<BlockEffect> block_effects(const ModelReading&);

/// The group of a head by its scores: induction on repeated random tokens first, then the largest score.
enum class HeadGroup : std::uint8_t { Previous, Induction, First, Duplicate, Rest };
inline constexpr int head_groups = 5;
HeadGroup group_of(const ModelReading&, const ModelHead&);
/// "previous token"; empty for the rest.
std::string_view group_name(HeadGroup);

/// The last change of a head on screen; null if there is none.
const HeadChange* change_of_head(const ModelChanges&, const ModelHead&);
/// The change of a block; null if there is none.
const BlockChange* change_of_block(const ModelChanges&, AttentionOf, int block);
/// The changes of the shown run.
const ModelChanges& shown_changes(const Scene&);

/// "Layer 23", "Encoder 3", "Cross 3": layers have the name of their stack if there are two.
std::string layer_name(const ModelSpec&, AttentionOf, int block);
/// "23.0", "encoder 3.0", "cross 3.0"; the place is marked as own words, since it is not a decimal number.
std::string head_name(const ModelSpec&, const ModelHead&);
/// The locked head.
ModelHead chosen_head(const Scene&);
/// The head under the mouse, which is previewed, else the locked one.
ModelHead shown_head(const Scene&);

/// The token of a row of the stack that gives the output.
std::string row_name(const ModelReading&, std::int64_t row);

}  // namespace attnscope
