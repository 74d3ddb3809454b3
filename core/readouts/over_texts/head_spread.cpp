#include "core/readouts/over_texts/head_spread.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/models/keys_seen.hpp"
#include "core/readouts/head_scores.hpp"
#include "core/readouts/text/not_finite.hpp"
#include "core/readouts/unembed.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, text_measure_count> measure_ids{
    "previous_token",     "next_token", "duplicate_token",  "induction", "first_token", "special_tokens",
    "normalised_entropy", "kl",         "top_logit_change", "mean_kl",   "nll_change"};

/// The value of a measure on one text.
struct Measured {
  bool exists = false;
  double value = 0;
  std::optional<double> uniform;
};

void add_measured(MeasureSpread& spread, const Measured& found) {
  if (!found.exists) {
    ++spread.without;
  } else if (!std::isfinite(found.value)) {
    ++spread.not_finite;
  } else {
    spread.values.add(found.value);
    if (found.uniform) spread.uniform.add(*found.uniform);
  }
}

/// The row on which a text's effects are measured.
struct EffectRow {
  bool exists = false;
  std::optional<std::int64_t> row = {};  // empty: the model's only choice, or a decoder's last row
};

EffectRow effect_row(const OpenedModel& opened, const ModelInput& input) {
  const ModelSpec& spec = opened.model->spec;
  if (spec.head.kind != HeadKind::MaskedToken || spec.head.input != HeadInput::EveryRow)
    return {.exists = true};
  const std::int64_t mask = mask_token(opened);
  const auto at = std::ranges::find(input.ids, mask);
  if (mask < 0 || at == input.ids.end()) return {};
  return {.exists = true, .row = at - input.ids.begin()};
}

class SpreadMaker {
 public:
  SpreadMaker(const OpenedModel& opened, const TextList& list, const HeadSpreadRequest& request)
      : opened_(opened), model_(*opened.model), list_(list), request_(request) {
    check_model();
    tokens_ = tokens_of_list(opened, list, request.decoder_text);
    for (const ModelTokens& tokens : tokens_) rows_.push_back(effect_row(opened, tokens.input));
    if (request.effects) check_effects();
    begin();
  }

  HeadSpreads make(TextsProgress* progress, const Work& work) {
    if (progress != nullptr) progress->total = std::ssize(list_.texts);
    for (std::size_t i = 0; i < list_.texts.size(); ++i) {
      if (work.stop.stop_requested()) throw Cancelled();
      add_text(i, work);
      if (progress != nullptr) ++progress->done;
    }
    return std::move(made_);
  }

 private:
  void check_model() const {
    const ModelSpec& spec = model_.spec;
    if (spec.image)
      throw Error(
          fmt::format("{} takes pictures; scores over texts are of models that read a text.", spec.family));
    if (request_.decoder_text && !spec.reads_two_texts())
      throw Error(
          fmt::format("A text of the decoder is for encoder-decoders; this model is {}.", spec.family));
  }

  void check_effects() const {
    const ModelSpec& spec = model_.spec;
    if (!spec.has_logits()) check_has_logits(model_);
    if (spec.head.kind == HeadKind::TokenClass)
      throw Error(
          "Each token has classes of its own here: effects over many texts have no row that they could be "
          "measured on.");
    if (std::ranges::any_of(rows_, &EffectRow::exists)) return;
    const std::string* const mask = mask_name(opened_);
    throw Error(fmt::format(
        "No text of {} has a masked token, whose prediction the effects are measured on: write {} for a "
        "word.",
        in_quotes(list_.path.native()), mask == nullptr ? "the tokenizer's masked token" : *mask));
  }

  void begin() {
    made_.output = output_attention(model_.spec);
    for (std::size_t m = 0; m < text_measure_count; ++m) {
      const auto measure = static_cast<TextMeasure>(m);
      const bool of_all_rows = measure == TextMeasure::MeanDivergence || measure == TextMeasure::Likelihood;
      if (!is_effect(measure) || (request_.effects && (!of_all_rows || request_.effects->all_positions)))
        made_.measured.push_back(measure);
    }
    const auto add_stack = [&](AttentionOf of, const StackSpec& stack) {
      for (int block = 0; block < static_cast<int>(stack.blocks.size()); ++block)
        for (int head = 0; head < stack.blocks[static_cast<std::size_t>(block)].heads; ++head)
          made_.heads.push_back({of, block, head, {}});
    };
    if (model_.spec.encoder) add_stack(AttentionOf::Encoder, *model_.spec.encoder);
    if (model_.spec.decoder) add_stack(AttentionOf::Decoder, *model_.spec.decoder);
  }

  void add_text(std::size_t index, const Work& work) {
    const ListedText& text = list_.texts[index];
    ModelTokens& tokens = tokens_[index];
    const bool own_text = model_.spec.reads_two_texts();
    made_.tokens.push_back(std::ssize(tokens.input.ids));
    if (!tokens.untold.empty()) made_.untold.push_back({text.line, tokens.untold});
    RunRequest request;
    request.logits = LogitRows::None;
    request.entropy = true;
    const std::int64_t output_rows = std::ssize(own_text ? tokens.input.decoder_ids : tokens.input.ids);
    const ModelRun run = run_model(model_, std::move(tokens.input), request, work);
    const std::string trouble = not_finite_sentence(model_, run);
    if (!trouble.empty()) made_.not_numbers.push_back({text.line, trouble});
    std::size_t at = 0;
    if (model_.spec.encoder) add_scores(run, AttentionOf::Encoder, at, work);
    if (model_.spec.decoder) add_scores(run, AttentionOf::Decoder, at, work);
    if (request_.effects) add_effects(run, rows_[index], output_rows, trouble.empty(), work);
  }

  MeasureSpread& spread(std::size_t head, TextMeasure measure) {
    return made_.heads[head].measures[static_cast<std::size_t>(measure)];
  }

  /// Adds the scores of the heads from index `at` on, and moves `at` behind them.
  void add_scores(const ModelRun& run, AttentionOf of, std::size_t& at, const Work& work) {
    const auto scores = head_scores(model_, run, of, opened_.special, work);
    for (std::size_t b = 0; b < scores.size(); ++b) {
      const auto entropies = normalised_entropies(model_, run, of, static_cast<int>(b));
      for (std::size_t h = 0; h < scores[b].size(); ++h, ++at) {
        for (std::size_t s = 0; s < head_score_count; ++s) {
          const PatternScore& score = scores[b][h][s];
          add_measured(spread(at, static_cast<TextMeasure>(s)), {score.rows > 0, score.score, score.uniform});
        }
        add_measured(spread(at, TextMeasure::Entropy),
                     {entropies[h].has_value(), entropies[h].value_or(0), 1.0});
      }
    }
  }

  /// `rows`: of the stack that makes the output. A run with NaN or infinity has no effects.
  void add_effects(const ModelRun& run, const EffectRow& of, std::int64_t rows, bool is_finite,
                   const Work& work) {
    AblationRequest request = *request_.effects;
    request.row = of.row;
    std::vector<AtlasEntry> atlas;
    if (of.exists && is_finite) atlas = ablation_atlas(model_, run, request, nullptr, work);
    const HeadSpec& head = model_.spec.head;
    const bool all = of.exists && request.all_positions && head.input == HeadInput::EveryRow,
               next = all && rows > 1 && head.kind == HeadKind::NextToken;
    std::size_t measured = 0;  // heads of that stack so far, in the order of the atlas
    for (std::size_t i = 0; i < made_.heads.size(); ++i) {
      if (made_.heads[i].of != made_.output) continue;
      AblationEffect effect{NAN, NAN, NAN, 0, NAN, NAN};
      if (!atlas.empty()) effect = atlas[measured].effect;
      ++measured;
      add_measured(spread(i, TextMeasure::Divergence), {of.exists, effect.divergence, {}});
      add_measured(spread(i, TextMeasure::TopLogit), {of.exists, effect.top_logit_change, {}});
      add_measured(spread(i, TextMeasure::MeanDivergence), {all, effect.mean_divergence, {}});
      add_measured(spread(i, TextMeasure::Likelihood), {next, effect.likelihood_change, {}});
    }
  }

  const OpenedModel& opened_;
  const Model& model_;
  const TextList& list_;
  const HeadSpreadRequest& request_;
  std::vector<ModelTokens> tokens_;
  std::vector<EffectRow> rows_;
  HeadSpreads made_;
};

}  // namespace

std::string_view id_of(TextMeasure measure) { return measure_ids[static_cast<std::size_t>(measure)]; }

bool is_effect(TextMeasure measure) { return measure >= TextMeasure::Divergence; }

bool HeadSpreads::has(const HeadSpread& head, TextMeasure measure) const {
  return std::ranges::find(measured, measure) != measured.end() && (!is_effect(measure) || head.of == output);
}

HeadSpreads head_spreads(const OpenedModel& opened, const TextList& list, const HeadSpreadRequest& request,
                         TextsProgress* progress, const Work& work) {
  return SpreadMaker(opened, list, request).make(progress, work);
}

}  // namespace attnscope
