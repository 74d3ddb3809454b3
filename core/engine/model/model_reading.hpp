// core/engine: the results of a model for one input, immutable and shared. Slower results come in later
// readings of the same ticket, which share the earlier ones.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/document/document.hpp"
#include "core/document/model_context.hpp"
#include "core/engine/model/model_why.hpp"
#include "core/engine/model/run_numbers.hpp"
#include "core/models/opened/layer_document.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/readouts/ablations.hpp"
#include "core/readouts/generation.hpp"
#include "core/readouts/head_scores.hpp"
#include "core/readouts/lens.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/readouts/text/sampling.hpp"

namespace attnscope {

/// The prediction of one row, with the changes inside the model and without.
struct ModelPrediction {
  std::int64_t row = -1;             // the predicted row; -1: the model predicts nothing here
  std::vector<float> before, after;  // logits; the same without changes
  std::vector<PredictedToken> top_before, top_after;  // the ten likeliest
  double divergence = 0;                              // KL(before ‖ after), nats
  /// log_sum_exp() of each, so that a token's probability needs no sum over the vocabulary.
  double log_sum_before = std::numeric_limits<double>::quiet_NaN(), log_sum_after = log_sum_before;
  Softmax softmax_before() const { return {before, log_sum_before}; }
  Softmax softmax_after() const { return {after, log_sum_after}; }
};

/// A token drawn by sample() to follow the predicted row.
struct NextToken {
  SamplingSettings settings;
  std::int64_t row = -1;          // the predicted row; the token's place in the text is the one after it
  std::int64_t id = not_a_token;  // not_a_token: there is no number among the logits
};

/// The likeliest tokens of the logit lens for one row at one place.
struct LensCell {
  std::vector<PredictedToken> top;  // five; empty: not known yet
};
struct LensReading {
  std::vector<LensPlace> places;  // lens_places()
  std::int64_t rows = 0;
  std::vector<LensCell> cells;  // [row][place]
  const LensCell& at(std::int64_t row, std::size_t place) const {
    return cells[static_cast<std::size_t>(row) * places.size() + place];
  }
};

/// The effect of each change alone, in the order of ModelChanges::blocks, then ::heads: KL(without ‖ with it
/// alone).
struct ChangesAlone {
  std::vector<double> divergences;  // NaN: not known yet
};

/// Effects of ablating each head alone in the model without changes; NaN: not known yet.
struct EffectsReading {
  std::int64_t row = -1;                // of the prediction
  std::vector<HeadPlace> heads;         // all_heads()
  std::vector<AblationEffect> effects;  // of each
  std::int64_t known = 0;               // number of known ones
  /// Expected time of the pruning curve, estimated from the time of these effects (see
  /// expected_pruning_seconds()); NaN until all are known.
  double pruning_seconds = std::numeric_limits<double>::quiet_NaN();
};

/// Heads removed one after the other, as in pruning_curve(); known counts spread over the whole curve first,
/// so that its shape shows early.
struct PruningReading {
  std::int64_t row = -1;          // of the prediction
  std::vector<AtlasEntry> curve;  // [i]: the head removed as number i, and the effect of removing 0 … i; NaN
  std::int64_t known = 0;         // number of known ones
  /// The baseline: the same heads in a random order, measured at `random_counts` evenly spread counts; NaN at
  /// the others.
  std::vector<AtlasEntry> random;
  std::int64_t random_known = 0, random_counts = 0;
  bool is_whole() const { return known == std::ssize(curve) && random_known == random_counts; }
};
/// The seed of PruningReading::random.
inline constexpr std::uint64_t pruning_seed = 1;

/// Activation patching: the text (clean) against a corrupted one (see core/readouts/patching.hpp). Effects
/// are changes of the corrupted text's answer, the difference of two logits; NaN: not known yet.
struct PatchingReading {
  std::string problem;  // a sentence why there is none; then nothing below is set
  std::shared_ptr<const ModelTokens> corrupted;
  std::int64_t row = -1;
  std::int64_t token = 0, other = 0;  // the answer: logit of `token` minus that of `other`
  double clean_answer = 0, corrupted_answer = 0;
  std::vector<HeadPlace> heads;          // all_heads()
  std::int64_t rows = 0, first_row = 0;  // patching rows before first_row changes nothing
  std::vector<double> estimates;         // [head], all rows patched: direct_effects(); may be empty
  std::vector<double> whole;             // [head], all rows patched: exact effects
  std::vector<double> cells;             // [head][row]: exact effects
  std::int64_t known = 0;                // number of known exact effects
  /// The share of the clean answer that an effect restores: 0 = none, 1 = all.
  double recovered(double effect) const { return effect / (clean_answer - corrupted_answer); }
  double at(std::size_t head, std::int64_t at_row) const {
    return cells[head * static_cast<std::size_t>(rows) + static_cast<std::size_t>(at_row)];
  }
};

/// A decoder's text generated token by token, and the key/value cache that the row on screen reads.
struct GenerationReading {
  std::int64_t rows = 0;               // positions of the whole text
  std::int64_t first = 0;              // the first appended position
  std::vector<GeneratedToken> tokens;  // the appended tokens; rank 0: not known yet
  std::int64_t row = -1;               // of the prediction on screen: the cache holds the positions up to it
  Tensor reads;                        // cache_reads() of the row; empty: not known yet
  std::int64_t cached_numbers = 0;     // numbers per position in all blocks
  std::int64_t cross_numbers = 0, encoder_rows = 0;  // per encoder position, cached once; 0: no encoder
  /// Multiply-adds in the blocks: for this row with the cache, and for all rows up to it, as without a cache.
  double row_work = 0, all_work = 0;
};

/// ‖v_j·W_O‖ of every key j, [AttentionOf][block][head][key]; no blocks for an attention that the model
/// lacks.
using ValueNorms = std::array<std::vector<std::vector<std::vector<float>>>, 3>;

struct ModelReading {
  std::uint64_t ticket = 0, refinement = 0;
  ModelContext within;  // the input it was computed from
  std::string error;    // one sentence; then nothing below is set
  std::shared_ptr<const ModelTokens> tokens;
  std::shared_ptr<const ModelRun> run;    // run with the changes: entropy, received, pictures of all heads
  std::shared_ptr<const ModelRun> clean;  // run without changes; the same pointer if there are none
  std::shared_ptr<const RunNumbers> numbers, clean_numbers;  // of run and clean
  std::shared_ptr<const BlockTensors> block;                 // the block on screen
  Document layer;                                            // its Document; `within` is set
  std::string left_out;       // left_out() of the block: changes that its layer cannot show
  std::string layer_problem;  // why the block cannot be shown as a layer; then `block` and `layer` are empty
  std::shared_ptr<const ModelPrediction> prediction;
  std::shared_ptr<const NextToken> next;  // of `prediction`; null: not wanted, or nothing is predicted
  std::string backend;                    // the device: "CUDA · NVIDIA H200"; empty: the CPU
  std::string backend_note;  // one sentence where part of it was not computed by the backend that was asked
                             // for, and why
  std::string not_finite;    // not_finite_sentence() of `run`
  double milliseconds = 0;   // from the input to all of the above, when the run was computed
  // Later results: null until they are known.
  std::shared_ptr<const WhyReading> why;                // if wanted
  std::shared_ptr<const GenerationReading> generation;  // if wanted; at first with a part of the tokens
  std::shared_ptr<const LensReading> lens;              // at first with empty cells
  std::shared_ptr<const std::vector<std::vector<HeadScores>>> scores;  // [block][head], on this text,
  AttentionOf scores_of = AttentionOf::Decoder;  // of the attention on screen; null for cross-attention
  std::shared_ptr<const std::vector<std::vector<HeadScores>>>
      battery;                                      // on repeated random tokens, model without changes
  std::shared_ptr<const ValueNorms> value_norms;    // of `run`, if wanted
  float usual_contribution = 1;                     // of `run` with value_norms (usual_contribution())
  std::shared_ptr<const TensorOf<double>> rollout;  // if wanted: the share of each input token in a row
  std::shared_ptr<const ChangesAlone> alone;
  std::shared_ptr<const EffectsReading> effects;    // in part first
  std::shared_ptr<const PruningReading> pruning;    // if it is or was wanted; at first in part
  std::shared_ptr<const PatchingReading> patching;  // if it is or was wanted; at first in part
  bool is_complete = false;                         // all is known; no later reading
  bool is_stopped = false;                          // the user stopped it; submitting again continues
};
using ModelReadingPtr = std::shared_ptr<const ModelReading>;

}  // namespace attnscope
