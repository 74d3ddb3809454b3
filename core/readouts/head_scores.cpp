#include "core/readouts/head_scores.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/models/run_heads.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, head_score_count> score_names{
    "previous token", "next token", "duplicate token", "induction", "first token", "special tokens"};

/// Which keys belong to each score, for the tokens of one text.
class NamedKeys {
 public:
  NamedKeys(std::span<const std::int64_t> ids, std::span<const std::int64_t> special) : ids_(ids) {
    for (const std::int64_t id : ids) special_.push_back(std::ranges::find(special, id) != special.end());
  }
  bool counts(HeadScore score, std::int64_t query, std::int64_t key) const {
    switch (score) {
      case HeadScore::Previous: return key == query - 1;
      case HeadScore::Next: return key == query + 1;
      case HeadScore::Duplicate: return key != query && id(key) == id(query);
      case HeadScore::Induction: return key > 0 && key - 1 != query && id(key - 1) == id(query);
      case HeadScore::First: return key == 0;
      case HeadScore::Special: return special_[static_cast<std::size_t>(key)];
    }
    return false;
  }

 private:
  std::int64_t id(std::int64_t at) const { return ids_[static_cast<std::size_t>(at)]; }
  std::span<const std::int64_t> ids_;
  std::vector<bool> special_;
};

/// Adds one row of one head; `allowed` are the keys that it may see.
void add_row(const NamedKeys& named, std::int64_t query, std::span<const std::int64_t> allowed,
             const float* weights, HeadScores& sums) {
  for (std::size_t s = 0; s < head_score_count; ++s) {
    double mass = 0;
    std::size_t counted = 0;
    for (const std::int64_t key : allowed) {
      if (!named.counts(static_cast<HeadScore>(s), query, key)) continue;
      mass += static_cast<double>(weights[key]);
      ++counted;
    }
    if (counted == 0 || counted == allowed.size()) continue;
    sums[s].score += mass;
    sums[s].uniform += static_cast<double>(counted) / static_cast<double>(allowed.size());
    ++sums[s].rows;
  }
}

/// Turns sums into means.
void divide(HeadScores& sums) {
  for (PatternScore& score : sums) {
    const double rows =
        score.rows == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(score.rows);
    score.score /= rows;
    score.uniform /= rows;
  }
}

/// The keys that rows [begin, end) of a head may see.
std::vector<std::vector<std::int64_t>> allowed_in(const AttentionProblem& p, std::int64_t head,
                                                  std::int64_t begin, std::int64_t end) {
  std::vector<std::vector<std::int64_t>> allowed(static_cast<std::size_t>(end - begin));
  for (std::int64_t i = begin; i < end; ++i)
    for (std::int64_t j = 0; j < p.keys; ++j)
      if (!is_hidden(p, head, i, j)) allowed[static_cast<std::size_t>(i - begin)].push_back(j);
  return allowed;
}

using AllScores = std::vector<std::vector<HeadScores>>;

void add_text(const Model& model, const ModelRun& run, AttentionOf of, std::span<const std::int64_t> special,
              AllScores& sums, const Work& work) {
  const StackView stack = stack_of(model, run, of);
  const std::span<const std::uint8_t> mask = key_mask(model.spec, run, of);
  const bool own_ids = of == AttentionOf::Decoder && model.spec.encoder;
  const std::vector<std::int64_t>& ids = own_ids ? run.input.decoder_ids : run.input.ids;
  const NamedKeys named(ids, special);
  constexpr std::int64_t at_once = 256;
  sums.resize(stack.spec.blocks.size());
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const BlockProblem made = problem_of(model, run, of, b);
    const AttentionProblem& p = made.problem;
    sums[b].resize(static_cast<std::size_t>(p.heads));
    for (std::int64_t begin = 0; begin < p.queries; begin += at_once) {
      const std::int64_t end = std::min(begin + at_once, p.queries);
      std::vector<std::vector<std::int64_t>> allowed;
      for (std::int64_t h = 0; h < p.heads; ++h) {
        // A block with settings of its own may have a mask for each head.
        if (h == 0 || p.allowed.heads > 1) allowed = allowed_in(p, h, begin, end);
        const Tensor weights = head_weight_rows(model, run, of, b, h, {.begin = begin, .end = end}, work);
        for (std::int64_t i = begin; i < end; ++i) {
          if (!mask.empty() && mask[static_cast<std::size_t>(i)] == 0) continue;
          add_row(named, i, allowed[static_cast<std::size_t>(i - begin)],
                  weights.matrix().row(i - begin).data(), sums[b][static_cast<std::size_t>(h)]);
        }
      }
    }
  }
}

AllScores means_of(AllScores sums) {
  for (std::vector<HeadScores>& block : sums)
    for (HeadScores& head : block) divide(head);
  return sums;
}

}  // namespace

std::string_view name_of(HeadScore score) { return score_names[static_cast<std::size_t>(score)]; }

std::vector<std::vector<HeadScores>> head_scores(const Model& model, const ModelRun& run, AttentionOf of,
                                                 std::span<const std::int64_t> special, const Work& work) {
  if (model.spec.image)
    throw Error("The heads of a model of pictures read no tokens, so they have no such scores.");
  AllScores sums;
  add_text(model, run, of, special, sums, work);
  return means_of(std::move(sums));
}

std::vector<std::int64_t> repeated_random_tokens(std::int64_t vocabulary,
                                                 std::span<const std::int64_t> special,
                                                 const BatterySettings& settings, int sequence) {
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(vocabulary), 0);
  std::int64_t left = vocabulary;
  for (const std::int64_t id : special)
    if (id >= 0 && id < vocabulary &&
        std::exchange(taken[static_cast<std::size_t>(id)], std::uint8_t{1}) == 0)
      --left;
  if (settings.tokens < 1 || settings.tokens > left)
    throw Error(fmt::format("{} different tokens cannot be drawn from {} that are not special.",
                            settings.tokens, left));
  std::vector<std::int64_t> ids;
  for (std::uint64_t draw = 0; std::ssize(ids) < settings.tokens; ++draw) {
    const std::uint64_t bits = random_bits(settings.seed, static_cast<std::uint64_t>(sequence), draw);
    const auto id = static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(vocabulary));
    if (std::exchange(taken[static_cast<std::size_t>(id)], std::uint8_t{1}) == 0) ids.push_back(id);
  }
  const std::vector<std::int64_t> once = ids;
  ids.insert(ids.end(), once.begin(), once.end());
  return ids;
}

namespace {

/// The token that begins a text, if the model has an embedding for it.
std::optional<std::int64_t> begin_of(const ModelSpec& spec) {
  return spec.begin_id && *spec.begin_id < spec.vocabulary ? spec.begin_id : std::nullopt;
}

/// The longest block that the model can read twice and has tokens for; too short a block tells nothing about
/// a head.
BatterySettings fitting_battery(const Model& model, std::span<const std::int64_t> special,
                                BatterySettings settings) {
  std::int64_t left = model.spec.vocabulary;
  for (std::size_t i = 0; i < special.size(); ++i) {
    const std::int64_t id = special[i];
    const auto before = special.first(i);
    if (id >= 0 && id < model.spec.vocabulary && std::ranges::find(before, id) == before.end()) --left;
  }
  std::int64_t positions = model.spec.max_positions;
  if (model.position_table.size() > 0)
    positions = model.position_table.shape()[0] - model.spec.first_position;
  std::int64_t most = left;
  if (positions > 0) most = std::min(most, (positions - (begin_of(model.spec) ? 1 : 0)) / 2);
  if (most >= least_battery)
    settings.tokens = static_cast<int>(std::min<std::int64_t>(settings.tokens, most));
  return settings;
}

}  // namespace

std::vector<std::vector<HeadScores>> battery_scores(const Model& model, std::span<const std::int64_t> special,
                                                    const BatterySettings& asked, const Work& work) {
  if (model.spec.image || model.spec.reads_two_texts())
    throw Error(
        fmt::format("Repeated random tokens are for models of one stack that reads tokens; this is {}.",
                    model.spec.family));
  const BatterySettings settings = fitting_battery(model, special, asked);
  AllScores sums;
  RunRequest request;
  request.logits = LogitRows::None;
  for (int sequence = 0; sequence < settings.sequences; ++sequence) {
    ModelInput input;
    if (const auto begin = begin_of(model.spec)) input.ids.push_back(*begin);
    const auto drawn = repeated_random_tokens(model.spec.vocabulary, special, settings, sequence);
    input.ids.insert(input.ids.end(), drawn.begin(), drawn.end());
    const ModelRun run = run_model(model, std::move(input), request, work);
    add_text(model, run, output_attention(model.spec), special, sums, work);
  }
  return means_of(std::move(sums));
}

}  // namespace attnscope
