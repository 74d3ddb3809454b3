#include "core/readouts/over_texts/patch_spread.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/readouts/ablations.hpp"
#include "core/readouts/text/not_finite.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, patch_measure_count> patch_measure_ids{"effect", "share",
                                                                              "direct_effect"};
constexpr double no_patched_answer = std::numeric_limits<double>::quiet_NaN();

void check_patched_model(const ModelSpec& spec, const std::optional<std::string>& decoder_text) {
  if (spec.image)
    throw Error(
        fmt::format("{} takes pictures; pairs of texts are for models that read a text.", spec.family));
  if (decoder_text && !spec.reads_two_texts())
    throw Error(fmt::format("A text of the decoder is for encoder-decoders; this model is {}.", spec.family));
  if (!spec.has_logits() || spec.head.kind == HeadKind::AnswerSpan)
    throw Error(fmt::format("Patching is measured on predictions of tokens or classes; {} makes none here.",
                            spec.family));
  if (spec.head.kind == HeadKind::TokenClass)
    throw Error(
        "Each token has classes of its own here: patching over many pairs has no row that it could be "
        "measured on.");
}

class PairSpreadMaker {
 public:
  PairSpreadMaker(const OpenedModel& opened, const PairList& list,
                  const std::optional<std::string>& decoder_text)
      : model_(*opened.model), list_(list) {
    check_patched_model(model_.spec, decoder_text);
    tokens_ = tokens_of_pairs(opened, list, decoder_text);
    made_.of = output_attention(model_.spec);
    made_.measured = {PatchMeasure::Effect, PatchMeasure::Share};
    for (const HeadPlace& head : all_heads(model_.spec)) {
      made_.heads.push_back({head, {}});
      places_.push_back({head});
    }
  }

  PatchSpreads make(TextsProgress* progress, const Work& work) {
    if (progress != nullptr) progress->total = std::ssize(tokens_);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (work.stop.stop_requested()) throw Cancelled();
      add_pair(list_.lines.texts[i].line, tokens_[i], work);
      if (progress != nullptr) ++progress->done;
    }
    return std::move(made_);
  }

 private:
  void add_pair(std::int64_t line, PairTokens& tokens, const Work& work) {
    for (const ModelTokens* const text : {&tokens.clean, &tokens.corrupted})
      if (!text->untold.empty()) made_.untold.push_back({line, text->untold});
    PairAnswers found{.line = line,
                      .tokens = std::ssize(tokens.clean.input.ids),
                      .asked = {not_a_token, not_a_token},
                      .clean = no_patched_answer,
                      .corrupted = no_patched_answer};
    RunRequest request;
    request.logits = LogitRows::None;
    const ModelRun clean = run_model(model_, std::move(tokens.clean.input), request, work),
                   corrupted = run_model(model_, std::move(tokens.corrupted.input), request, work);
    PatchedPair pair{model_, clean, corrupted, tokens.row};
    const std::string trouble = ask(pair, tokens, found, work);
    if (!trouble.empty()) {
      made_.not_numbers.push_back({line, trouble});
      for (HeadPatchSpread& head : made_.heads)
        for (MeasureSpread& spread : head.measures) ++spread.not_finite;
    } else {
      made_.clean.add(found.clean);
      made_.corrupted.add(found.corrupted);
      add_effects(pair, found, work);
    }
    made_.pairs.push_back(found);
  }

  /// Chooses the answers and measures them in both runs. Returns a sentence if they are NaN or infinite.
  std::string ask(PatchedPair& pair, const PairTokens& tokens, PairAnswers& found, const Work& work) const {
    for (const ModelRun* const run : {&pair.clean, &pair.corrupted})
      if (std::string trouble = not_finite_sentence(model_, *run); !trouble.empty()) return trouble;
    const AskedAnswer asked =
        asked_answer(logits_of(pair, pair.clean, work), logits_of(pair, pair.corrupted, work), tokens.answer,
                     tokens.other);
    if (asked.token != not_a_token && asked.other != not_a_token) {
      pair.token = asked.token;
      pair.other = asked.other;
      const double clean = answer_of(pair, pair.clean, work),
                   corrupted = answer_of(pair, pair.corrupted, work);
      if (std::isfinite(clean) && std::isfinite(corrupted)) {
        found.asked = asked;
        found.clean = clean;
        found.corrupted = corrupted;
        return {};
      }
    }
    return "The logits hold NaN or infinity.";
  }

  void add_effects(const PatchedPair& pair, const PairAnswers& found, const Work& work) {
    const std::vector<double> effects = patch_effects(pair, places_, nullptr, work),
                              direct = direct_effects(pair, work);
    const double difference = found.clean - found.corrupted;
    const bool has_share = std::abs(difference) >= least_answer_difference;
    if (!has_share)
      made_.same_answer.push_back(
          {found.line, "Both texts give the same answer, so heads have no share of it to bring back."});
    for (std::size_t i = 0; i < made_.heads.size(); ++i) {
      add_number(i, PatchMeasure::Effect, effects[i]);
      if (has_share)
        add_number(i, PatchMeasure::Share, effects[i] / difference);
      else
        ++spread(i, PatchMeasure::Share).without;
      if (!direct.empty()) add_number(i, PatchMeasure::DirectEffect, direct[i]);
    }
    if (!direct.empty() &&
        std::ranges::find(made_.measured, PatchMeasure::DirectEffect) == made_.measured.end())
      made_.measured.push_back(PatchMeasure::DirectEffect);
  }

  MeasureSpread& spread(std::size_t head, PatchMeasure measure) {
    return made_.heads[head].measures[static_cast<std::size_t>(measure)];
  }

  void add_number(std::size_t head, PatchMeasure measure, double value) {
    if (std::isfinite(value))
      spread(head, measure).values.add(value);
    else
      ++spread(head, measure).not_finite;
  }

  const Model& model_;
  const PairList& list_;
  std::vector<PairTokens> tokens_;
  std::vector<PatchPlace> places_;
  PatchSpreads made_;
};

}  // namespace

std::string_view id_of(PatchMeasure measure) { return patch_measure_ids[static_cast<std::size_t>(measure)]; }

PatchSpreads patch_spreads(const OpenedModel& opened, const PairList& list,
                           const std::optional<std::string>& decoder_text, TextsProgress* progress,
                           const Work& work) {
  return PairSpreadMaker(opened, list, decoder_text).make(progress, work);
}

}  // namespace attnscope
