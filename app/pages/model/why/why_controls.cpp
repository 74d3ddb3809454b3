// app/pages/model: beside "why did it look there?": what is split, how many parts are shown one by one, and
// the norms' scales, which the split keeps fixed.
#include <algorithm>
#include <array>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/why/why.hpp"

namespace attnscope {
namespace {

std::string one_over(double inverse) { return "1 / " + fixed(inverse > 0 ? 1 / inverse : 0, 2); }

/// A list of the model's likeliest tokens, after an entry for none of them.
void token_drop(Column& c, const char* label, std::string_view name, std::string_view none,
                std::optional<std::int64_t> ModelLook::*chosen, const Tip& tip) {
  const Ui& ui = c.ui();
  const ModelReading& reading = *c.scene.model;
  ModelState& state = model_state_of(c.scene.view);
  const std::uint64_t model = reading.within.model->fingerprint;
  const std::optional<std::int64_t> token = state.token_in(model, state.*chosen);
  const std::string shown = token ? predicted_name(reading, *token) : std::string(none);
  drop(ui, label, choice_row(c, name), shown, tip, [&] {
    if (menu_row(ui, std::string(none).c_str(), {}, !token)) (state.*chosen).reset();
    if (!reading.prediction) return;
    for (const PredictedToken& one : reading.prediction->top_after) {
      const std::string words = predicted_name(reading, one.id);
      if (!menu_row(ui, words.c_str(), {}, token == one.id)) continue;
      state.choose_tokens_of(model);
      state.*chosen = one.id;
    }
  });
}

}  // namespace

void split_section(Column& c) {
  WhyState& split = model_state_of(c.scene.view).split;
  if (c.begin({.which = Section::Split,
               .label = "Split of the score",
               .note = c.scene.compact ? "" : "sums to the score",
               .opens = Opens::Always})) {
    constexpr std::array<std::string_view, 2> names{"raw", "over mean"};
    constexpr std::array<Tip, 2> tips{
        {{"The score", "q · k", "As it is: what all keys share is in it too.", {}},
         {"Over the row's mean",
          "q · (k − mean of k)",
          "Less the mean over the keys that the query may see: what all keys share cannot move a weight.",
          {}}}};
    if (const auto picked = c.choice("Score", "score", names, split.over_mean ? 1 : 0, tips))
      split.over_mean = *picked == 1;
    const auto parts = [&](const char* label, std::int64_t& count) {
      const auto next = [&](int step) { return std::clamp<std::int64_t>(count + step, 4, 10); };
      if (const auto picked =
              c.number(label, label, count, next,
                       {"Parts of the table",
                        {},
                        "The largest stand by themselves, the others together; none is dropped.",
                        {}}))
        count = std::clamp<std::int64_t>(*picked, 4, 10);
    };
    parts("query parts", split.query_parts);
    parts("key parts", split.key_parts);
  }
  c.end();
}

void norms_section(Column& c) {
  const WhyReading* const why = shown_why(c.scene);
  if (why == nullptr || !why->score_problem.empty()) return;
  const WhyState& split = model_state_of(c.scene.view).split;
  const StackSpec& stack = c.scene.model->within.model->model->spec.stack(why->asked.score.of);
  const bool layer = stack.norm().kind == NormKind::LayerNorm;
  const std::string unit = layer ? "1 / σ" : "1 / rms";
  if (c.begin({.which = Section::Norms,
               .label = "Norm scale",
               .note = layer ? "LayerNorm, actual" : "RMSNorm, actual",
               .opens = Opens::WhenWide})) {
    const Tip tip{"Scale of the norm",
                  unit,
                  "The split keeps the scale that the norm has in this row: so it is linear, and exact.",
                  {}};
    c.fact("Query norm", "query " + own(split.query), one_over(why->score.query_norm), tip);
    c.fact("Key norm", "key " + own(split.key), one_over(why->score.key_norm), tip);
    if (why->logit_problem.empty()) c.fact("Last norm", "last norm", one_over(why->logit.norm_scale), tip);
  }
  c.end();
}

void logit_section(Column& c) {
  if (c.begin({.which = Section::Logit,
               .label = "Logit",
               .note = c.scene.compact ? "" : "attribution, direct",
               .opens = Opens::Always})) {
    token_drop(c, "Logit token", "token", "the likeliest", &ModelLook::split_token,
               {"Token", {}, "Whose logit is split into what adds to it.", {}});
    token_drop(c, "Minus token", "minus", "mean of all", &ModelLook::split_minus,
               {"Minus",
                "logit − logit",
                "The difference of two tokens shows what tells them apart; the mean over all tokens moves no "
                "probability.",
                {}});
  }
  c.end();
}

void path_section(Column& c) {
  WhyState& split = model_state_of(c.scene.view).split;
  if (c.begin({.which = Section::Path,
               .label = "Path",
               .note = c.scene.compact ? "" : "strongest, two steps",
               .opens = Opens::Always})) {
    constexpr std::array<std::string_view, 2> names{"path", "stream"};
    constexpr std::array<Tip, 2> tips{
        {{"Strongest path",
          {},
          "Which earlier head put most into the query and into the key of the cell, and which head put most "
          "into theirs.",
          {}},
         {"Residual stream", {}, "The residual stream and the prediction, as below all heads.", {}}}};
    if (const auto picked = c.choice("Below", "below", names, split.path ? 0 : 1, tips))
      split.path = *picked == 0;
    if (split.path) {
      if (const auto moved =
              slider(c.ui(), "smallest link", "smallest link",
                     fixed(static_cast<double>(split.smallest_link), 2), c.row(38, 8), split.smallest_link,
                     {.low = 0.01f, .high = 4, .rest = 0.25f, .log = true}, split.smallest_link != 0.25f,
                     {"Smallest link", {}, "A link that adds less than this is not drawn.", {}}))
        split.smallest_link = std::clamp(*moved, 0.f, 100.f);
    }
  }
  c.end();
}

}  // namespace attnscope
