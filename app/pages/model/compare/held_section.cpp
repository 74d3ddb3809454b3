// app/pages/model: beside the heads: what is held, how it differs, and which of its layers is compared with
// the chosen one.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/compare/compared_models.hpp"
#include "app/views/held/held_chip.hpp"
#include "app/views/model_compare/held_model.hpp"

namespace attnscope {
namespace {

/// "stored as": the name of a value at the left, a tag of B's side at the right.
void draw_held_tag(Column& c, const HeldDifference& difference) {
  const Ui& ui = c.ui();
  const Box row = c.row(26, 4);
  const float left = ui.px(c.scene.compact ? 58 : 80);
  ui.text(row.x, row.centre_y(), difference.name,
          {type::label, ui.theme.text2, Ink::Regular, Align::Left, left - ui.px(6)});
  const float room = row.w - left, pad = ui.px(8);
  const std::string& words = difference.end_of_b.empty() ? difference.b : difference.end_of_b;
  const float width = std::min(room, ui.text_width(words, type::label, Ink::Medium) + 2 * pad);
  const Box tag{row.x + left, row.y + ui.px(1), width, row.h - ui.px(2)};
  ui.fill(tag, fade(ui.theme.b, 0.2f), ui.px(6));
  ui.text(tag.x + pad, tag.centre_y(), words,
          {type::label, ui.theme.b, Ink::Medium, Align::Left, tag.w - 2 * pad});
  const std::string label = "held " + std::string(difference.name);
  const Ui::Touch touch = ui.touch(label.c_str(), row, false);
  const std::string both = "held:  " + difference.b + "   now:  " + difference.a;
  tooltip(ui, touch.hovered, row, {difference.name, both, "What is held differs in this.", {}});
}

/// Three buttons in a row, or the last one below if their words need the room.
void draw_held_buttons(Column& c) {
  const Ui& ui = c.ui();
  c.y += ui.px(4);
  const float gap = ui.px(8);
  float widest = 0;
  for (const std::string_view words : {"Swap", "Hold", "Drop"})
    widest = std::max(widest, ui.text_width(words, type::label, Ink::Medium) + ui.px(14));
  const bool fits = 3 * widest + 2 * gap <= c.width;
  const Box row = c.row(28);
  const int across = fits ? 3 : 2;
  const float width = std::floor((row.w - gap * static_cast<float>(across - 1)) / static_cast<float>(across));
  const auto place = [&](int i) {
    return Box{row.x + static_cast<float>(i) * (width + gap), row.y, width, row.h};
  };
  if (button(ui, "Swap now and held", place(0),
             {"Swap", "held ↔ now", "What is held is shown and edited, what was shown is held.", "X"},
             "Swap"))
    c.scene.requests.swap = true;
  if (button(ui, "Hold this", place(1),
             {"Hold this", {}, "What is shown takes the place of what is held.", "\\"}, "Hold"))
    c.scene.requests.hold = true;
  if (button(ui, "Drop what is held", fits ? place(2) : c.row(28),
             {"Drop", {}, "Nothing is held any more.", "Shift+\\"}, "Drop"))
    c.scene.requests.release_held = true;
}

/// The choice of the compared attention in an encoder-decoder.
void draw_attention_choice(Column& c) {
  const ModelSpec& spec = c.scene.model->within.model->model->spec;
  const std::vector<AttentionOf> all = attentions_of(spec);
  if (all.size() < 2) return;
  const ModelHead head = chosen_head(c.scene);
  constexpr std::array<std::string_view, 3> words{"encoder", "decoder", "cross"};
  std::vector<std::string_view> names;
  for (const AttentionOf of : all) names.push_back(words[static_cast<std::size_t>(of)]);
  constexpr Tip tip{"Attention", {}, "Which attention of the model the map of heads shows.", {}};
  const std::vector<Tip> tips(all.size(), tip);
  const auto now = std::ranges::find(all, head.of) - all.begin();
  if (const auto picked = segments(c.ui(), "Attention", c.row(28), names, static_cast<int>(now), tips,
                                   {.text_size = type::tick})) {
    const AttentionOf of = all[static_cast<std::size_t>(*picked)];
    const int block = std::min(head.block, blocks_in(spec, of) - 1);
    look_at(c.scene, {of, block, std::min<std::int64_t>(head.head, heads_in(spec, of, block) - 1)});
  }
}

void draw_layer_of_held(Column& c, const HeldModel& held) {
  std::int64_t& shift = model_state_of(c.scene.view).held_shift;
  const ModelHead head = chosen_head(c.scene);
  const ModelSpec& spec = held.within.model->model->spec;
  const std::vector<AttentionOf> all = attentions_of(spec);
  if (std::ranges::find(all, head.of) == all.end()) return;
  const std::int64_t last = blocks_in(spec, head.of) - 1, layer = head.block + shift;
  const std::string words = shift == 0  ? std::string("the same layer")
                            : shift > 0 ? "layer + " + std::to_string(shift)
                                        : "layer − " + std::to_string(-shift);
  const bool is_there = layer >= 0 && layer <= last;
  const auto chosen = c.number(
      "layer of held", "held layer", layer,
      [&](int step) { return std::clamp<std::int64_t>(layer + step, 0, last); },
      {"Layer of what is held",
       words,
       "Which layer of what is held stands beside the chosen one; every other layer is compared with the "
       "one as far from it.",
       {}},
      is_there ? std::string_view() : std::string_view("none"), !is_there);
  if (chosen) shift = std::clamp<std::int64_t>(*chosen, 0, last) - head.block;
  if (shift == 0) return;
  const Box row = c.row(26);
  if (button(c.ui(), "The same layers", row,
             {"The same layers", {}, "Every layer is compared with the same one of what is held.", {}}))
    shift = 0;
}

void draw_distance_choice(Column& c) {
  CompareHeadsState& state = model_state_of(c.scene.view).compare;
  constexpr std::array<std::string_view, 2> names{"distance", "largest"};
  constexpr std::array<Tip, 2> tips{
      {{"Total variation distance",
        "½ Σ |now − held|",
        "How much weight lies on other tokens, the mean over the rows that have a choice.",
        {}},
       {"Largest change", "now − held", "The single weight of the head that changes most.", {}}}};
  if (const auto picked = segments(c.ui(), "Compared by", choice_row(c, "colour"), names,
                                   static_cast<int>(state.measure), tips))
    state.measure = static_cast<HeadDistance>(*picked);
}

}  // namespace

void held_section(Column& c) {
  const HeldModel* const held = c.scene.held_model;
  if (held == nullptr) return;
  const std::string age = age_words(ImGui::GetTime() - held->seconds);
  if (c.begin({.which = Section::Held, .label = "What is held", .note = age, .opens = Opens::Always})) {
    const std::vector<HeldDifference> differing =
        differences_of_held(c.document().within.read(), held->within);
    for (const HeldDifference& difference : differing) draw_held_tag(c, difference);
    draw_layer_of_held(c, *held);
    draw_attention_choice(c);
    draw_distance_choice(c);
    draw_held_buttons(c);
    if (differing.empty() && model_state_of(c.scene.view).held_shift == 0)
      c.remark(
          "It is held as it is shown. Change the text or something inside, choose another layer of it, or "
          "open another file.");
    if (const std::optional<ComparedModels> compared = compared_models(c.scene)) {
      const std::string words = match_sentence(compared->attention.queries);
      if (!words.empty()) c.remark(words);
    }
  }
  c.end();
}

}  // namespace attnscope
