// app/pages/model: beside activation patching: the pair of texts, and the answers that are asked for.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/prompt_field.hpp"
#include "app/pages/model/atlas/parts.hpp"
#include "app/pages/model/atlas/patching.hpp"
#include "app/pages/model/atlas/word_differences.hpp"
#include "app/state/window_state.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "core/models/opened/text_pairs.hpp"

namespace attnscope {
namespace {

void draw_pair_text(Column& c, std::string_view name, const std::string& text) {
  const Ui& ui = c.ui();
  const Box row = c.row(20, 2);
  ui.text(row.x, row.centre_y(), name, {type::tick, ui.theme.text3});
  const Box words = c.row(20, 6);
  ui.text(words.x, words.centre_y(), own(with_signs(text)),
          {type::label, ui.theme.text1, Ink::Regular, Align::Left, words.w});
}

/// As many of the words as fit, those nearest to the difference; empty if none fits.
std::string words_in_front(const Ui& ui, const std::vector<std::string>& words, float room) {
  for (auto first = words.begin(); first != words.end(); ++first) {
    const std::string shown = own("… " + fmt::to_string(fmt::join(first, words.end(), " ")));
    if (ui.text_width(shown, type::label) <= room) return shown;
  }
  return {};
}

/// "… store, John → Mary gave a …", in one row.
void draw_difference(Column& c, const WordDifference& difference, int number) {
  const Ui& ui = c.ui();
  const Box row = c.row(20, 2);
  const float gap = ui.px(5), y = row.centre_y(), arrow = ui.text_width("→", type::label);
  const auto shown = [](const std::string& words) { return own(words.empty() ? "–" : words); };
  const auto width_of = [&](const std::string& words) {
    return std::min(ui.text_width(shown(words), type::label, Ink::Semibold), row.w * 0.42f);
  };
  const float clean = width_of(difference.clean), corrupted = width_of(difference.corrupted);
  const float rest = row.w - clean - corrupted - arrow - 2 * gap;
  const TextStyle round{type::label, ui.theme.text3};
  float x = row.x;
  if (const std::string before = words_in_front(ui, difference.before, rest * 0.55f); !before.empty())
    x += ui.text(x, y, before, round) + gap;
  x += ui.text(x, y, shown(difference.clean),
               {type::label, ui.theme.text1, Ink::Semibold, Align::Left, clean}) +
       gap;
  x += ui.text(x, y, "→", round) + gap;
  x += ui.text(x, y, shown(difference.corrupted),
               {type::label, ui.theme.key, Ink::Semibold, Align::Left, corrupted}) +
       gap;
  if (!difference.behind.empty() && row.right() - x > ui.px(24))
    ui.text(x, y, own(fmt::to_string(fmt::join(difference.behind, " "))),
            {type::label, ui.theme.text3, Ink::Regular, Align::Left, row.right() - x});
  const Ui::Touch touch = ui.touch(("difference " + std::to_string(number)).c_str(), row, false);
  tooltip(ui, touch.hovered, row,
          {"Where the texts differ",
           own(difference.clean + " → " + difference.corrupted),
           "The words of the text above, and what stands in their place in the corrupted one.",
           {}});
}

/// The words that differ, in sight however long the texts are.
void draw_differences(Column& c, const std::string& clean, const std::string& corrupted) {
  constexpr std::size_t most = 4;
  if (corrupted.empty()) return;
  const std::vector<WordDifference> all = word_differences(clean, corrupted);
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    draw_difference(c, all[i], static_cast<int>(i));
  if (all.size() > most) c.remark(std::to_string(all.size() - most) + " more.");
}

void draw_token_counts(Column& c) {
  const ModelReading& reading = *c.scene.model;
  const PatchingReading* const patching = reading.patching.get();
  // Nothing is known about an empty field; problems with a text are shown instead of the heads.
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
  PatchingState& state = model_state_of(scene.view).patching;
  change_within(scene, [&](ModelContext within) { return edit::text(std::move(within), pair.clean); });
  model_state_of(scene.view).predicted_row.reset();
  state.corrupted = pair.corrupted;
  state.answer = pair.answer;
  state.other = pair.other;
  state.suggested = {pair.clean, pair.corrupted, pair.answer, pair.other};
  state.answers_beside = pair.clean;
  state.is_running = true;
}

void draw_pair_buttons(Column& c) {
  const Ui& ui = c.ui();
  PatchingState& state = model_state_of(c.scene.view).patching;
  const OpenedModel& opened = *c.scene.model->within.model;
  const Box row = c.row(28);
  const float half = std::floor((row.w - ui.px(8)) / 2);
  if (button(ui, "Suggest", {row.x, row.y, half, row.h},
             {"Suggest a corrupted text",
              {},
              "The text above with one word exchanged for another of its words, as long in tokens.",
              {}})) {
    suggest_corrupted(state, opened, c.document().within.read().input);
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

/// Whether something was typed for another clean text than the present one; `beside` empty: unknown.
bool is_of_another(const std::string& beside, const std::string& clean) {
  return !beside.empty() && beside != clean;
}

/// A word that has to be one token.
void draw_answer(Column& c, std::string_view name, const char* label, std::string& words,
                 const PatchingState::Answer& found, std::string_view placeholder) {
  if (text_field(c.ui(), label, choice_row(c, name), words, placeholder)) {
    model_state_of(c.scene.view).patching.is_running = true;
    model_state_of(c.scene.view).patching.answers_beside = c.document().within.read().input.text;
  }
  if (found.words == words && !found.problem.empty()) c.remark(found.problem, true);
}

}  // namespace

void pair_section(Column& c) {
  PatchingState& state = model_state_of(c.scene.view).patching;
  const std::string& clean = c.document().within.read().input.text;
  if (c.begin({.which = Section::Pair,
               .label = "Pair of texts",
               .note = c.scene.compact ? "" : "clean, corrupted",
               .opens = Opens::Always})) {
    draw_pair_text(c, "clean, as typed above", clean);
    const Box name = c.row(20, 2);
    c.ui().text(name.x, name.centre_y(), "corrupted", {type::tick, c.ui().theme.key});
    if (prompt_field(c.ui(), "##Corrupted", c.row(28, 6), state.corrupted, "Type a corrupted text")) {
      state.is_running = true;
      state.corrupted_beside = clean;
    }
    const bool is_edited = !state.corrupted.empty() && state.corrupted != state.suggested.corrupted;
    if (is_edited && is_of_another(state.corrupted_beside, clean))
      c.remark("It was typed beside another text; Suggest makes one for this.", true);
    draw_differences(c, clean, state.corrupted);
    draw_token_counts(c);
    draw_pair_buttons(c);
  }
  c.end();
}

void answers_section(Column& c) {
  PatchingState& state = model_state_of(c.scene.view).patching;
  const ModelReading& reading = *c.scene.model;
  if (c.begin({.which = Section::Answers,
               .label = "Answer",
               .note = c.scene.compact ? "" : "logit − logit",
               .opens = Opens::Always})) {
    draw_answer(c, "answer", "##Answer", state.answer, state.answers[0], "likeliest of clean");
    draw_answer(c, "less", "##Other answer", state.other, state.answers[1], "likeliest of corrupted");
    if ((!state.answer.empty() || !state.other.empty()) &&
        is_of_another(state.answers_beside, c.document().within.read().input.text))
      c.remark("The answers are those of another text.", true);
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
