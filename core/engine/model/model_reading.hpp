// core/engine: what was computed of a model with one input: immutable and shared; what takes longer comes in
// later readings of the same ticket, which share the rest.
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

namespace attnscope {

/// The prediction of one row, with the changes inside the model and without.
struct ModelPrediction {
  std::int64_t row = -1;                              // whose; -1: the model predicts nothing here
  std::vector<float> before, after;                   // logits; the same where nothing is changed
  std::vector<PredictedToken> top_before, top_after;  // the ten likeliest
  double divergence = 0;                              // KL(before ‖ after), nats
  /// log_sum_exp() of each: then a token's probability costs no sum over the vocabulary.
  double log_sum_before = std::numeric_limits<double>::quiet_NaN(), log_sum_after = log_sum_before;
  Softmax softmax_before() const { return {before, log_sum_before}; }
  Softmax softmax_after() const { return {after, log_sum_after}; }
};

/// The likeliest tokens that the logit lens sees in one row at one place.
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

/// What each change does by itself, in the order of ModelChanges::blocks, then ::heads: KL(without ‖ with it
/// alone).
struct ChangesAlone {
  std::vector<double> divergences;  // NaN: not known yet
};

/// Effects of ablating each head alone in the model without changes; NaN: not known yet.
struct EffectsReading {
  std::int64_t row = -1;                // whose prediction
  std::vector<HeadPlace> heads;         // all_heads()
  std::vector<AblationEffect> effects;  // of each
  std::int64_t known = 0;               // how many are
  /// What the pruning curve is expected to take, from what these took for each layer that a version passed;
  /// NaN while not all are known.
  double pruning_seconds = std::numeric_limits<double>::quiet_NaN();
};

/// Heads removed one after the other, as pruning_curve() has them; the counts that are known spread over the
/// whole curve first, so that its shape is seen early.
struct PruningReading {
  std::int64_t row = -1;          // whose prediction
  std::vector<AtlasEntry> curve;  // [i]: the head that goes as number i, and the effect of all up to it; NaN
  std::int64_t known = 0;         // how many are
  /// The baseline: the same heads in a random order, measured at `random_counts` counts that spread evenly;
  /// NaN at the others.
  std::vector<AtlasEntry> random;
  std::int64_t random_known = 0, random_counts = 0;
  bool is_whole() const { return known == std::ssize(curve) && random_known == random_counts; }
};
/// The seed of PruningReading::random.
inline constexpr std::uint64_t pruning_seed = 1;

/// Activation patching: the text (clean) against a corrupted one (see core/readouts/patching.hpp). Effects
/// are changes of the corrupted text's answer, the difference of two logits; NaN: not known yet.
struct PatchingReading {
  std::string problem;  // a sentence why there is none; then nothing below is there
  std::shared_ptr<const ModelTokens> corrupted;
  std::int64_t row = -1;
  std::int64_t token = 0, other = 0;  // the answer: logit of `token` less that of `other`
  double clean_answer = 0, corrupted_answer = 0;
  std::vector<HeadPlace> heads;          // all_heads()
  std::int64_t rows = 0, first_row = 0;  // in rows before first_row patching changes nothing
  std::vector<double> estimates;         // of each head in all rows: direct_effects(); empty: none
  std::vector<double> whole;             // the same exactly
  std::vector<double> cells;             // [head][row] exactly
  std::int64_t known = 0;                // of both kinds
  /// The share of the clean answer that an effect brings back: 0 = none, 1 = all.
  double recovered(double effect) const { return effect / (clean_answer - corrupted_answer); }
  double at(std::size_t head, std::int64_t at_row) const {
    return cells[head * static_cast<std::size_t>(rows) + static_cast<std::size_t>(at_row)];
  }
};

/// A text of a decoder that went on token by token, and the key/value cache behind the row that is looked at.
struct GenerationReading {
  std::int64_t rows = 0;               // positions of the whole text
  std::int64_t first = 0;              // those from here on were appended
  std::vector<GeneratedToken> tokens;  // of each of them; rank 0: not known yet
  std::int64_t row = -1;            // whose prediction is looked at: the cache holds the positions up to it
  Tensor reads;                     // cache_reads() of it; empty: not known yet
  std::int64_t cached_numbers = 0;  // of a position in all blocks
  std::int64_t cross_numbers = 0, encoder_rows = 0;  // of a position of the encoder, kept once; 0: no encoder
  /// Multiply-adds in the blocks of this row with the cache, and of all rows up to it, as without one.
  double row_work = 0, all_work = 0;
};

/// ‖v_j·W_O‖ of every key j, [AttentionOf][block][head][key]; of an attention that the model lacks no blocks.
using ValueNorms = std::array<std::vector<std::vector<std::vector<float>>>, 3>;

struct ModelReading {
  std::uint64_t ticket = 0, refinement = 0;
  ModelContext within;  // what it was computed of
  std::string error;    // one sentence; then nothing below is there
  std::shared_ptr<const ModelTokens> tokens;
  std::shared_ptr<const ModelRun> run;    // with the changes: entropy, received, pictures of all heads
  std::shared_ptr<const ModelRun> clean;  // without; the same where there are none
  std::shared_ptr<const RunNumbers> numbers, clean_numbers;  // of both
  std::shared_ptr<const BlockTensors> block;                 // that is looked at
  Document layer;                                            // its Document; `within` is set
  std::string left_out;       // left_out() of the block: what of the changes its layer does not show
  std::string layer_problem;  // why the block cannot be looked at by itself: `block` and `layer` are empty
  std::shared_ptr<const ModelPrediction> prediction;
  std::string backend;       // what ran it: "CUDA · NVIDIA H200"; empty: the CPU
  std::string backend_note;  // one sentence where part of it was not computed by the backend that was asked
                             // for, and why
  std::string not_finite;    // not_finite_sentence() of `run`
  double milliseconds = 0;   // from the input to all of the above, when this run was made
  // What comes later: null until it is known.
  std::shared_ptr<const WhyReading> why;                               // where it was asked for
  std::shared_ptr<const GenerationReading> generation;                 // likewise, tokens in part first
  std::shared_ptr<const LensReading> lens;                             // in part first, with empty cells
  std::shared_ptr<const std::vector<std::vector<HeadScores>>> scores;  // [block][head], on this text,
  AttentionOf scores_of = AttentionOf::Decoder;  // of the stack that is looked at; none of attention across
  std::shared_ptr<const std::vector<std::vector<HeadScores>>>
      battery;                                      // on repeated random tokens, of the clean model
  std::shared_ptr<const ValueNorms> value_norms;    // of `run`, where it is wanted
  std::shared_ptr<const TensorOf<double>> rollout;  // likewise: how much of each input token is in a row
  std::shared_ptr<const ChangesAlone> alone;
  std::shared_ptr<const EffectsReading> effects;    // in part first
  std::shared_ptr<const PruningReading> pruning;    // where it is or was wanted, likewise
  std::shared_ptr<const PatchingReading> patching;  // likewise
  bool is_complete = false;                         // nothing more comes: all is known
  bool is_stopped = false;  // nothing more comes: a person stopped it; submitted again it goes on
};
using ModelReadingPtr = std::shared_ptr<const ModelReading>;

}  // namespace attnscope
