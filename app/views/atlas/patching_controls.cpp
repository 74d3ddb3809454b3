// app/views/atlas: beside activation patching: the pair of texts, and the answers that are asked for.
#include <array>

#include "app/ui/number_format.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/atlas/parts.hpp"
#include "app/views/atlas/patching.hpp"
#include "core/models/opened/text_pairs.hpp"

namespace attnscope {
namespace {

void draw_pair_text(Column& c, std::string_view name, const std::string& text) {
  const Ui& ui = c.ui();
  const Box row = c.row(20, 2);
  ui.text(row.x, row.centre_y(), name, {type::tick, ui.theme.text3});
  const Box words = c.row(20, 6);
  ui.text(words.x, words.centre_y(), own(text),
          {type::label, ui.theme.text1, Ink::Regular, Align::Left, words.w});
}

void draw_token_counts(Column& c) {
  const ModelReading& reading = *c.scene.model;
  const PatchingReading* const patching = reading.patching.get();
  // Of a field that was emptied nothing is known; what is wrong with a text stands in the place of the heads.
  if (patching == nullptr || !patching->corrupted || !why_not_patched(c.scene).empty()) return;
  const auto count = [](const ModelTokens& tokens) {
    return grouped(static_cast<std::int64_t>(tokens.tokens.tokens.size()));
  };
  c.fact("Tokens of both", "tokens", count(*reading.tokens) + " and " + count(*patching->corrupted),
         {"Tokens of both texts",
          {},
          "What a head gave at a position goes to the same position of the other text, so both have as many.",
          {}});
}

void take_pair(Scene& scene, const TextPair& pair) {
  PatchingState& state = scene.view.model->patching;
  change_within(scene, [&](Within within) { return edit::text(std::move(within), pair.clean); });
  scene.view.model->predicted_row.reset();
  state.corrupted = pair.corrupted;
  state.answer = pair.answer;
  state.other = pair.other;
  state.is_running = true;
}

void draw_pair_buttons(Column& c) {
  const Ui& ui = c.ui();
  PatchingState& state = c.scene.view.model->patching;
  const OpenedModel& opened = *c.scene.model->within.model;
  const Box row = c.row(28);
  const float half = std::floor((row.w - ui.px(8)) / 2);
  if (button(ui, "Suggest", {row.x, row.y, half, row.h},
             {"Suggest a corrupted text",
              {},
              "The text above with one word exchanged for another of its words, as long in tokens.",
              {}})) {
    state.corrupted = corrupted_like(opened, c.document().within.read().input);
    state.is_running = true;
    if (state.corrupted.empty())
      c.scene.view.notices.say(
          "No word of this text can be exchanged for another that is as long in tokens.");
  }
  if (!button(ui, "First pair", {row.x + half + ui.px(8), row.y, row.w - half - ui.px(8), row.h},
              {"A pair to begin with", {}, "Two texts that suit the model take the place of these.", {}}))
    return;
  if (const std::optional<TextPair> pair = first_pair(opened))
    take_pair(c.scene, *pair);
  else
    c.scene.view.notices.say("No pair of texts was found that suits this model.");
}

/// A word that has to be one token.
void draw_answer(Column& c, std::string_view name, const char* label, std::string& words,
                 const PatchingState::Answer& found, std::string_view placeholder) {
  if (text_field(c.ui(), label, choice_row(c, name), words, placeholder))
    c.scene.view.model->patching.is_running = true;
  if (found.words == words && !found.problem.empty()) c.remark(found.problem, true);
}

}  // namespace

void pair_section(Column& c) {
  PatchingState& state = c.scene.view.model->patching;
  if (c.begin({.which = Section::Pair,
               .label = "Pair of texts",
               .note = c.scene.compact ? "" : "clean, corrupted",
               .opens = Opens::Always})) {
    draw_pair_text(c, "clean, as typed above", c.document().within.read().input.text);
    const Box name = c.row(20, 2);
    c.ui().text(name.x, name.centre_y(), "corrupted", {type::tick, c.ui().theme.key});
    if (text_field(c.ui(), "##Corrupted", c.row(28, 6), state.corrupted, "Type a corrupted text"))
      state.is_running = true;
    draw_token_counts(c);
    draw_pair_buttons(c);
  }
  c.end();
}

void answers_section(Column& c) {
  PatchingState& state = c.scene.view.model->patching;
  const ModelReading& reading = *c.scene.model;
  if (c.begin({.which = Section::Answers,
               .label = "Answer",
               .note = c.scene.compact ? "" : "logit − logit",
               .opens = Opens::Always})) {
    draw_answer(c, "answer", "##Answer", state.answer, state.answers[0], "likeliest of clean");
    draw_answer(c, "less", "##Other answer", state.other, state.answers[1], "likeliest of corrupted");
    if (reading.patching && why_not_patched(c.scene).empty()) {
      const PatchingReading& patching = *reading.patching;
      const std::string asked =
          predicted_name(reading, patching.token) + " − " + predicted_name(reading, patching.other);
      const Tip tip{
          "Answer",
          "logit − logit",
          "How much more the text makes of the first answer than of the other. The clean one is the "
          "share 1, the corrupted one 0.",
          {}};
      c.fact("Answers asked for", "asked", asked, tip);
      c.fact("Clean answer", "clean", with_sign(patching.clean_answer), tip);
      c.fact("Corrupted answer", "corrupted", with_sign(patching.corrupted_answer), tip);
      if (!reading.within.changes.empty())
        c.remark("Both texts are read by the model without what is changed inside it.");
    }
  }
  c.end();
}

}  // namespace attnscope
