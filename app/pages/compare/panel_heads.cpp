// app/pages/compare: the two lines above each picture. First line: the side and the settings that differ;
// second line: the switches of A, the buttons of B, and how the difference is shown.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/compare/parts.hpp"
#include "app/scene/head_words.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/switches.hpp"

namespace attnscope {
namespace {

float title_y(const Ui& ui, const Box& head) { return head.y + ui.px(18); }

struct Title {
  std::string_view name;
  Rgba ink;
  std::string note;
};

/// Returns its right end.
float draw_title(const Ui& ui, const Box& head, const Title& title, float right) {
  const float y = title_y(ui, head);
  float x = head.x + ui.text(head.x, y, title.name, {type::title, title.ink, Ink::Semibold});
  const float room = right - x - ui.px(24);
  if (ui.text_width(title.note, type::label) > room) return x;
  x += ui.px(12);
  return x + ui.text(x, y, title.note, {type::label, ui.theme.text3});
}

/// The settings that matter most, as far as they are the same on both sides.
std::string equal_settings(const Sides& sides) {
  const Document& document = sides.a.result.document;
  std::string equal;
  const auto add = [&](std::string_view name, const std::string& words) {
    const auto differs = [&](const SettingDifference& d) { return d.name == name; };
    if (std::any_of(sides.settings.begin(), sides.settings.end(), differs)) return;
    equal += (equal.empty() ? "" : " · ") + words;
  };
  if (knows_scores(document)) add("scale", scale_words(document));
  add("mask", mask_words(document));
  add("temperature", temperature_words(document));
  return equal;
}

/// "scale:  ÷ √8  |  ÷ 1 · mask:  causal  |  no mask"; the pieces between two spaces are translated one by
/// one.
std::string all_settings(const Sides& sides) {
  std::string all;
  for (const SettingDifference& d : sides.settings)
    all += (all.empty() ? "" : " · ") + inner(d.name) + ":  " + d.a + "  |  " + d.b;
  return all;
}

float width_of(const Ui& ui, const std::string& tag) {
  return ui.text_width(tag, type::label, Ink::Medium) + ui.px(20);
}

/// The first tags, as many as the room has; the last one counts those that are left out: "+2".
std::vector<std::string> fitting(const Ui& ui, const std::vector<std::string>& all, float gap, float room) {
  for (std::size_t shown = all.size();; --shown) {
    std::vector<std::string> tags(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < all.size()) tags.push_back("+" + std::to_string(all.size() - shown));
    float width = -gap;
    for (const std::string& tag : tags) width += width_of(ui, tag) + gap;
    if (shown == 0 || width <= room) return tags;
  }
}

/// What differs as tags from the right, as many as there is room for, and what is equal in grey before them.
/// Returns the left end.
float draw_settings(const Sides& sides, const Box& head, bool is_a, float least_x) {
  const Ui& ui = sides.ui();
  const float gap = ui.px(6), y = title_y(ui, head);
  std::vector<std::string> all_tags;
  for (const SettingDifference& d : sides.settings) all_tags.push_back(is_a ? d.a : d.b);
  const std::vector<std::string> tags = fitting(ui, all_tags, gap, head.right() - least_x);
  float x = head.right() + (tags.empty() ? 0 : gap);
  for (const std::string& tag : tags) x -= width_of(ui, tag) + gap;
  const Box group{x, y - ui.px(13), head.right() - x, ui.px(26)};
  const Rgba ground = is_a ? ui.theme.control : fade(ui.theme.b, 0.2f);
  for (const std::string& tag : tags) {
    const Box box{std::round(x), group.y, width_of(ui, tag), group.h};
    ui.fill(box, ground, ui.px(6));
    ui.text(box.centre_x(), box.centre_y(), tag,
            {type::label, is_a ? ui.theme.text1 : ui.theme.b, Ink::Medium, Align::Centre});
    x += box.w + gap;
  }
  const Ui::Touch touch = ui.touch(is_a ? "What differs in A" : "What differs in B", group, false);
  const std::string all = all_settings(sides);
  tooltip(ui, touch.hovered, group, {"What differs: now | held", all, "Everything else is set alike.", {}});
  const std::string equal = equal_settings(sides);
  const float end = tags.empty() ? head.right() : group.x - ui.px(12);
  if (end - ui.text_width(equal, type::label) < least_x) return tags.empty() ? head.right() : group.x;
  return end - ui.text(end, y, equal, {type::label, ui.theme.text3, Ink::Regular, Align::Right});
}

std::string age(double seconds) {
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return std::to_string(minutes) + " min ago";
  return std::to_string(minutes / 60) + " h ago";
}

/// " · text 2 of 3" in a batch.
std::string sequence_note(const Shown& shown) {
  const std::int64_t batch = shown.result.dimensions.batch;
  return batch < 2 ? "" : " · text " + std::to_string(shown.sequence() + 1) + " of " + std::to_string(batch);
}

void scaling_switch(Document& document, const Ui& ui, const Box& row) {
  const bool divided = edit::is_divided(document);
  if (toggle(ui, "Divide by sqrt(d_k)", "÷ √dₖ", row, divided,
             {"Divide by √dₖ", "S ÷ √dₖ", "Changes what is shown now; what is held stays.", "S"}))
    document = edit::divided(std::move(document), !divided);
}

void mask_segments(Document& document, const Ui& ui, const Box& row, bool compact) {
  constexpr std::array<std::string_view, 4> names{"None", "Causal", "Padding", "Both"};
  const std::array<Tip, 4> tips{
      Tip{"No mask", "every query sees every key", "Changes what is shown now; what is held stays.", "N"},
      Tip{"Causal mask", "key ≤ query, else −∞", "Changes what is shown now; what is held stays.", "C"},
      Tip{"Padding mask", "[pad] keys get −∞", "Changes what is shown now; what is held stays.", "P"},
      Tip{"Causal and padding",
          "both must allow the key",
          "Changes what is shown now; what is held stays.",
          {}}};
  const SegmentsStyle style{.text_size = compact ? type::tick : type::label};
  if (const auto chosen = segments(ui, "Mask", row, names, edit::mask_choice(document), tips, style))
    document = edit::with_mask_choice(std::move(document), *chosen);
}

void temperature_slider(Document& document, const Ui& ui, const Box& row) {
  const float tau = document.layer().temperature;
  if (const auto moved = slider(
          ui, "Temperature", "τ", fixed(static_cast<double>(tau), 2), row, tau, {0.1f, 10, 1, true}, tau != 1,
          {"Temperature", "softmax(S / τ)", "Changes what is shown now; what is held stays.", {}}))
    document.layer().temperature = *moved;
}

}  // namespace

Box controls_of(const Ui& ui, const Box& head) { return {head.x, head.y + ui.px(40), head.w, ui.px(36)}; }

void draw_head_of_a(Sides& sides, const Box& head) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const float right = draw_settings(sides, head, true, head.x + ui.px(72));
  draw_title(ui, head, {"now", ui.theme.text1, "live" + sequence_note(scene)}, right);

  // The most used switches: they change A, which is compared with the held B.
  const Box line = controls_of(ui, head);
  const float gap = ui.px(scene.compact ? 12 : 20), middle = line.centre_y();
  const float on = ui.text_width("÷ √dₖ", type::label) + ui.px(36), masks = ui.px(scene.compact ? 204 : 244);
  if (line.w < on) return;
  scaling_switch(scene.document, ui, {line.x, middle - ui.px(14), on, ui.px(28)});
  float x = line.x + on + gap;
  if (x + masks > line.right()) return;
  mask_segments(scene.document, ui, {x, middle - ui.px(14), masks, ui.px(28)}, scene.compact);
  x += masks + gap;
  const float rest = std::min(line.right() - x, ui.px(200));
  if (rest >= ui.px(72)) temperature_slider(scene.document, ui, {x, line.y, rest, line.h});
}

void choose_held_head(Sides& sides, const Box& room) {
  const Ui& ui = sides.ui();
  const std::int64_t heads = sides.b->result.dimensions.heads, now = sides.a.head(), shown = sides.b->head();
  if (heads < 2 || room.w < ui.px(104)) return;
  std::int64_t& chosen = compare_of(sides.a.view).held_head;
  const auto next = [&](int step) { return (shown + step + heads) % heads; };
  const Tip tip{
      "Head of the held side",
      {},
      "Two heads can be compared with each other. The shown head's own number goes back to comparing each "
      "head with itself.",
      {}};
  const std::string words = chosen < 0 ? "same head" : "head " + std::to_string(shown);
  if (const auto head = stepper(ui, "Held head", {room.x, room.y, std::min(room.w, ui.px(144)), room.h},
                                shown, next, tip, words)) {
    const std::int64_t there = std::clamp<std::int64_t>(*head, 0, heads - 1);
    chosen = there == now ? -1 : there;
  }
}

Box draw_head_of_b(Sides& sides, const Box& head) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  const float right = draw_settings(sides, head, false, head.x + ui.px(72));
  std::string note = age(ImGui::GetTime() - scene.held->seconds);
  note += sequence_note(*sides.b);
  draw_title(ui, head, {"held", ui.theme.b, note}, right);

  const Box line = controls_of(ui, head);
  struct Order {
    const char* name;
    Tip tip;
    bool& request;
  };
  const std::array<Order, 3> orders{
      Order{"Hold again",
            {"Hold again", {}, "What is shown now replaces what is held.", "\\"},
            scene.requests.hold},
      Order{"Swap",
            {"Swap now and held", {}, "What was held is shown and edited; what was shown is held.", "X"},
            scene.requests.swap},
      Order{"Drop",
            {"Drop what is held", {}, "Nothing is held any more.", "Shift+\\"},
            scene.requests.release_held}};
  float x = line.x;
  for (const Order& order : orders) {
    const Box box{x, line.centre_y() - ui.px(14),
                  ui.text_width(order.name, type::label, Ink::Medium) + ui.px(24), ui.px(28)};
    if (box.right() > line.right()) break;
    if (button(ui, order.name, box, order.tip)) order.request = true;
    x = box.right() + ui.px(8);
  }
  return {x + ui.px(4), line.centre_y() - ui.px(14), line.right() - x - ui.px(4), ui.px(28)};
}

void draw_title_of_difference(const Sides& sides, const Box& head, float right) {
  const Scene& scene = sides.a;
  const std::string name =
      scene.compact ? role_name(scene.result, scene.head()) : scored_name(scene.result, scene.head());
  const std::string number = "head " + std::to_string(scene.head());
  const bool named = name != number && !name.empty();
  std::string title = "Difference", note = named ? number + " · " + name : number;
  if (sides.b && sides.b->head() != scene.head()) {  // which head it is matters more than its name
    title = number + " − head " + std::to_string(sides.b->head());
    note.clear();
  }
  draw_title(sides.ui(), head, {title, sides.ui().theme.text1, note}, right);
}

void draw_head_of_difference(Sides& sides, const Box& head) {
  const Ui& ui = sides.ui();
  Scene& scene = sides.a;
  constexpr std::array<std::string_view, 3> kinds{"now − held", "|now − held|", "ratio"};
  const std::array<Tip, 3> tips{
      Tip{"now − held", {}, "Orange where it is larger now, blue where it was larger when held.", "/"},
      Tip{"|now − held|", {}, "Absolute difference.", "/"},
      Tip{"Ratio", "|now| / |held|, coloured by log₂",
          "×2 and ÷2 are equally far from 1: small weights count as much as large ones.", "/"}};
  const float wide = std::min(ui.px(scene.compact ? 232 : 300), head.w - ui.px(96));
  const Box mode{head.right() - wide, title_y(ui, head) - ui.px(13), wide, ui.px(26)};
  DifferenceKind& kind = compare_of(scene.view).difference;
  if (const auto chosen = segments(ui, "Difference", mode, kinds, static_cast<int>(kind), tips,
                                   {.text_size = scene.compact ? type::tick : type::label}))
    kind = static_cast<DifferenceKind>(*chosen);
  draw_title_of_difference(sides, head, mode.x);

  const Document& document = scene.result.document;
  const std::array<Plane, 4> stages{Stage::Score, Stage::Scale, Stage::Mask, weights_stage(document)};
  constexpr std::array<std::string_view, 4> names{"Scores", "Scaled", "Masked", "Weights"};
  std::array<Tip, 4> stage_tips;
  unsigned unknown = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const PlaneWords w = words(document, stages[i]);
    const bool known = is_known(document, stages[i].stage) &&
                       (!sides.b || is_known(sides.b->result.document, stages[i].stage));
    stage_tips[i] = {w.name, w.formula, known ? "In all three pictures." : why_no_scores(), ", ."};
    if (!known) unknown |= 1u << i;
  }
  const auto at = std::find(stages.begin(), stages.end(), sides.a_plane);
  const Box line = controls_of(ui, head);
  const Box box{line.x, line.centre_y() - ui.px(14), std::min(line.w, ui.px(320)), ui.px(28)};
  const int now = at == stages.end() ? -1 : static_cast<int>(at - stages.begin());
  if (const auto chosen =
          segments(ui, "Stage", box, names, now, stage_tips,
                   {.text_size = scene.compact ? type::tick : type::label, .disabled = unknown}))
    show_stage(scene.view, stages[static_cast<std::size_t>(*chosen)]);
}

}  // namespace attnscope
