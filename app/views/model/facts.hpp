// app/views/model: what the views of a model ask of its reading: which heads there are, what each does beside
// what chance would do, and how heads, layers and tokens are called.
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

/// The attentions that a model has, in the order in which they stand on screen: encoder, decoder, cross.
std::vector<AttentionOf> attentions_of(const ModelSpec&);
const StackSpec& stack_of(const ModelSpec&, AttentionOf);
inline int heads_in(const ModelSpec& spec, AttentionOf of, int block) {
  return stack_of(spec, of).blocks[static_cast<std::size_t>(block)].heads;
}
inline int blocks_in(const ModelSpec& spec, AttentionOf of) {
  return static_cast<int>(stack_of(spec, of).blocks.size());
}
/// Every head of every attention, block after block.
std::vector<ModelHead> all_model_heads(const ModelSpec&);

/// The run that is on screen: without the changes while that is asked for.
const std::shared_ptr<const ModelRun>& shown_run(const Scene&);

/// A run of a reading, and what was counted of it where it was made.
struct ModelFacts {
  std::shared_ptr<const ModelRun> run;
  std::shared_ptr<const RunNumbers> numbers;
};
/// Of the run with what is changed inside the model.
ModelFacts changed_facts(const ModelReading&);
/// Of shown_run().
ModelFacts model_facts_of(const Scene&);
/// NaN where it is not known.
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
/// Among all heads whose measure is known, the largest first (of effects the largest magnitude); 0 where it
/// is not known; of effects while some are still computed.
struct Rank {
  std::int64_t place = 0, of = 0;
};
Rank rank_of(const ModelReading&, const ModelFacts&, HeadMeasure, const ModelHead&);
/// The head whose zeroing alone changes the logit of the likeliest token most; of equals the first. Nothing
/// while effects are still computed.
std::optional<ModelHead> strongest_head(const ModelReading&);
/// Σ |Δ logit| over the heads of a block, of those that are known.
struct BlockEffect {
  double sum = 0;
  int known = 0, heads = 0;
};
std::vector<BlockEffect> block_effects(const ModelReading&);

/// What a head does, as far as its scores bear it: induction on repeated random tokens first, then the
/// largest.
enum class HeadGroup : std::uint8_t { Previous, Induction, First, Duplicate, Rest };
inline constexpr int head_groups = 5;
HeadGroup group_of(const ModelReading&, const ModelHead&);
/// "previous token"; empty of the rest.
std::string_view group_name(HeadGroup);

/// What was changed of a head that is on screen, the last change counts; null where nothing is.
const HeadChange* change_of_head(const ModelChanges&, const ModelHead&);
/// That of a block; null where nothing is changed.
const BlockChange* change_of_block(const ModelChanges&, AttentionOf, int block);
/// The changes that the shown run was made with.
const ModelChanges& shown_changes(const Scene&);

/// "Layer 23", "Encoder 3", "Cross 3": layers are named by their stack where there are two.
std::string layer_name(const ModelSpec&, AttentionOf, int block);
/// "23.0", "encoder 3.0", "cross 3.0"; the place is marked as own words, since it is no decimal number.
std::string head_name(const ModelSpec&, const ModelHead&);
/// The head that is looked at.
ModelHead chosen_head(const Scene&);
/// The one that is previewed while the mouse is on it, else the one that is looked at.
ModelHead shown_head(const Scene&);

/// The token of a row of the stack that gives the output.
std::string row_name(const ModelReading&, std::int64_t row);

}  // namespace attnscope
