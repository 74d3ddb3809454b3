#include "core/readouts/patching.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/model_head.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/norm_view.hpp"
#include "core/readouts/stream.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/readouts/unembed.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t streams_at_once = 256;  // for whose logits there is memory

/// The ids that the stack with the output reads.
const std::vector<std::int64_t>& ids_of(const PatchedPair& pair, const ModelRun& run) {
  return pair.model.spec.reads_two_texts() ? run.input.decoder_ids : run.input.ids;
}

std::int64_t row_of(const PatchedPair& pair) {
  const HeadSpec& head = pair.model.spec.head;
  return head.input == HeadInput::EveryRow ? pair.row : head_row(head, pair.corrupted.input.ids);
}

void check_pair(const PatchedPair& pair) {
  const Model& model = pair.model;
  if (!model.spec.has_logits() || model.spec.head.kind == HeadKind::AnswerSpan)
    throw Error(fmt::format("Patching is measured on predictions of tokens or classes; {} makes none here.",
                            model.spec.family));
  const std::int64_t clean = pair.clean.last(model).normed.rows(),
                     rows = pair.corrupted.last(model).normed.rows();
  if (clean != rows)
    throw Error(
        fmt::format("The clean text has {} {} and the corrupted one {}; patching takes what stands "
                    "at a position of one to the same position of the other, so as many are needed.",
                    clean, clean == 1 ? "token" : "tokens", rows));
  for (const ModelRun* run : {&pair.clean, &pair.corrupted})
    if (!run->changes.empty() || !run->input.mask.empty())
      throw Error("Patching is measured on runs without other changes and without a mask.");
  if (row_of(pair) < 0 || row_of(pair) >= rows)
    throw Error(fmt::format("There is no row {}; the texts have rows 0 to {}.", row_of(pair), rows - 1));
  for (const std::int64_t token : {pair.token, pair.other})
    if (token < 0 || token >= model.logits.d_out())
      throw Error(
          fmt::format("There is no answer {}; the model has 0 to {}.", token, model.logits.d_out() - 1));
}

void check_places(const PatchedPair& pair, std::span<const PatchPlace> places) {
  const std::vector<LayerSpec>& blocks = pair.model.spec.output_stack().blocks;
  const std::int64_t rows = pair.corrupted.last(pair.model).normed.rows();
  for (const PatchPlace& place : places) {
    const auto [block, head] = place.head;
    if (block < 0 || block >= std::ssize(blocks) || head < 0 ||
        head >= blocks[static_cast<std::size_t>(block)].heads)
      throw Error(fmt::format("There is no head {}.{}; the model has layers 0 to {} with heads 0 to {}.",
                              block, head, blocks.size() - 1, blocks[0].heads - 1));
    if (place.row < -1 || place.row >= rows)
      throw Error(fmt::format("There is no row {}; the texts have rows 0 to {}.", place.row, rows - 1));
  }
}

double difference(const PatchedPair& pair, const float* logits) {
  return static_cast<double>(logits[pair.token]) - static_cast<double>(logits[pair.other]);
}

/// Collects streams behind the last block, in any order, and computes their answers in batches.
class PatchAnswers {
 public:
  PatchAnswers(const PatchedPair& pair, std::size_t count, const Work& work)
      : pair_(pair), work_(work), found_(count) {}

  void add(std::size_t index, const Tensor& stream) {
    streams_.insert(streams_.end(), stream.values().begin(), stream.values().end());
    indices_.push_back(index);
    if (std::ssize(indices_) >= streams_at_once) read();
  }
  std::vector<double> take() {
    read();
    return std::move(found_);
  }

 private:
  void read() {
    if (indices_.empty()) return;
    const Tensor logits = stream_logits(pair_.model, streams_.data(), std::ssize(indices_), work_);
    for (std::size_t i = 0; i < indices_.size(); ++i)
      found_[indices_[i]] =
          difference(pair_, logits.data() + static_cast<std::int64_t>(i) * logits.shape()[1]);
    streams_.clear();
    indices_.clear();
  }

  const PatchedPair& pair_;
  const Work& work_;
  std::vector<double> found_;
  std::vector<float> streams_;
  std::vector<std::size_t> indices_;
};

/// The answer as a direction in the residual stream of the corrupted run's row: its product with a vector is
/// what adding the vector changes in the answer at a constant scale of the norm.
TensorOf<double> answer_direction(const PatchedPair& pair) {
  const Model& model = pair.model;
  const StackView stack = stack_of(model, pair.corrupted, output_attention(model.spec));
  const std::int64_t d = model.spec.d_model;
  const NormWeights& weights = stack.weights.final_norm;
  const std::vector<double> weight = norm_weight(stack.spec.norm(), weights, d);
  const RowStatistics norm =
      fixed_norm(stack.spec.norm(), weights,
                 std::span(stack.run.hidden.back().row(pair.row), static_cast<std::size_t>(d)));
  TensorOf<double> map = rows_of_map(model.logits, pair.token, 1);
  const TensorOf<double> other = rows_of_map(model.logits, pair.other, 1);
  for (std::size_t c = 0; c < weight.size(); ++c)
    map.values()[c] =
        (map.values()[c] - other.values()[c]) * model.spec.logit_scale * weight[c] * norm.inverse;
  if (!weights.exists() || stack.spec.norm().kind != NormKind::LayerNorm) return map;
  // Centring can be applied before the sum instead of behind it.
  const double mean = std::accumulate(map.values().begin(), map.values().end(), 0.0) / static_cast<double>(d);
  for (double& value : map.values()) value -= mean;
  return map;
}

bool reads_a_sum(const Model& model) {
  return model.spec.head.kind == HeadKind::NextToken && !model.head.dense && !model.head.norm.exists() &&
         model.spec.output_stack().arrangement() != Arrangement::PostNorm &&
         !model.spec.output_stack().residual_after_norm;
}

}  // namespace

std::vector<float> logits_of(const PatchedPair& pair, const ModelRun& run, const Work& work) {
  check_pair(pair);
  const Tensor logits =
      stream_logits(pair.model, run.last(pair.model).hidden.back().row(row_of(pair)), 1, work);
  return {logits.values().begin(), logits.values().end()};
}

double answer_of(const PatchedPair& pair, const ModelRun& run, const Work& work) {
  return difference(pair, logits_of(pair, run, work).data());
}

AskedAnswer asked_answer(std::span<const float> clean_logits, std::span<const float> corrupted_logits,
                         std::optional<std::int64_t> wanted_token, std::optional<std::int64_t> wanted_other) {
  const std::vector<PredictedToken> best = likeliest(clean_logits, 2);
  AskedAnswer asked{wanted_token.value_or(best[0].id),
                    wanted_other.value_or(likeliest(corrupted_logits, 1)[0].id)};
  if (asked.token != asked.other || best.size() < 2) return asked;
  const std::int64_t another = best[asked.token == best[0].id ? 1 : 0].id;
  if (!wanted_other)
    asked.other = another;
  else if (!wanted_token)
    asked.token = another;
  return asked;
}

std::vector<double> patch_effects(const PatchedPair& pair, std::span<const PatchPlace> places,
                                  AblationProgress* progress, const Work& work) {
  check_pair(pair);
  check_places(pair, places);
  std::vector<HeadSet> sets;
  std::vector<std::int64_t> rows;
  for (const PatchPlace& place : places) {
    sets.push_back({place.head});
    rows.push_back(place.row);
  }
  const HeadPatch patch{pair.clean, rows};
  PatchAnswers answers(pair, places.size(), work);
  pass_ablations(
      {.model = pair.model, .base = pair.corrupted, .row = row_of(pair), .patch = &patch}, sets,
      [&](std::size_t set, const Tensor& stream) { answers.add(set, stream); }, progress, work);
  std::vector<double> effects = answers.take();
  const double without = answer_of(pair, pair.corrupted, work);
  for (double& effect : effects) effect -= without;
  return effects;
}

std::vector<double> direct_effects(const PatchedPair& pair, const Work& work) {
  check_pair(pair);
  if (!reads_a_sum(pair.model)) return {};
  const AttentionOf of = output_attention(pair.model.spec);
  const std::size_t blocks = pair.model.spec.output_stack().blocks.size();
  const TensorOf<double> map = answer_direction(pair);
  std::vector<StreamPart> parts;
  std::vector<double> added;  // for each part: the clean run's minus the corrupted run's
  for (const auto& [run, sign] : {std::pair(&pair.clean, 1.0), std::pair(&pair.corrupted, -1.0)}) {
    const StreamAt at{pair.model, *run, of, blocks};
    parts = parts_of_stream(at);
    added.resize(parts.size());
    project_stream(
        at, map, pair.row, pair.row + 1,
        [&, by = sign](std::size_t part, std::int64_t, std::span<const double> value) {
          added[part] += by * value[0];
        },
        work);
  }
  std::vector<double> effects;
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (parts[part].kind == StreamPart::Kind::Head) effects.push_back(added[part]);
  return effects;
}

std::int64_t first_patched_row(const PatchedPair& pair) {
  const Model& model = pair.model;
  if (!model.spec.output_stack().causal() || model.spec.encoder) return 0;
  const std::vector<std::int64_t>& clean = ids_of(pair, pair.clean);
  return std::ranges::mismatch(clean, ids_of(pair, pair.corrupted)).in1 - clean.begin();
}

}  // namespace attnscope
