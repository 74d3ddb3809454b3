#include "app/views/held/held_chip.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/state/window_state.hpp"
#include "app/views/held/settings.hpp"

namespace attnscope {

std::string age_words(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, seconds));
  if (whole < 60) return std::to_string(whole) + " s ago";
  if (whole < 3600) return std::to_string(whole / 60) + " min ago";
  return std::to_string(whole / 3600) + " h ago";
}

float draw_held_chip(Scene& scene, float left, float right, float y) {
  if (scene.held == nullptr || scene.view.mode != Mode::Explore || scene.ui.is_figure()) return left;
  const std::vector<SettingDifference> differing =
      differing_settings(scene.result.document, scene.held->result->document);
  HeldWords words{.what = differing.empty() ? "as now" : differing.front().b, .more = {}, .all = {}};
  if (differing.size() > 1) words.more = " · +" + std::to_string(differing.size() - 1);
  constexpr std::string_view between = "  ·  ";
  for (const SettingDifference& d : differing)
    words.all += std::string(between) + inner(d.name) + ":  " + d.b;
  if (!words.all.empty()) words.all.erase(0, between.size());
  bool pressed = false;
  const float end = draw_held_words(scene, {left, y, right - left, 0}, words, pressed);
  if (pressed) scene.view.mode = Mode::Compare;
  return end;
}

float draw_held_words(Scene& scene, const Box& room, const HeldWords& held, bool& pressed) {
  const Ui& ui = scene.ui;
  const float left = room.x, right = room.right(), y = room.y;
  const double since = scene.held_model != nullptr ? scene.held_model->seconds : scene.held->seconds;
  const std::string age = age_words(ImGui::GetTime() - since);
  const std::array<std::string, 3> wordings{"held:  " + held.what + held.more + " · " + age,
                                            "held:  " + held.what, "held"};
  const float pad = ui.px(8), close = ui.px(20);
  const auto width_of = [&](const std::string& words) {
    return ui.text_width(words, type::label, Ink::Medium) + 2 * pad + close;
  };
  const auto words = std::find_if(wordings.begin(), wordings.end(),
                                  [&](const std::string& w) { return left + width_of(w) <= right; });
  if (words == wordings.end()) return left;
  const Box chip{std::round(left), std::round(y - ui.px(13)), std::ceil(width_of(*words)), ui.px(26)};
  const Box cross{chip.right() - close - ui.px(2), chip.y + ui.px(2), close, chip.h - ui.px(4)};
  // Dear ImGui gives a click to the first widget under the mouse, so the cross comes before the whole chip.
  const Ui::Touch release = ui.touch("Drop what is held", cross);
  const Ui::Touch compare = ui.touch("Held", chip);
  ui.fill(chip, fade(ui.theme.b, compare.hovered ? 0.3f : 0.2f), ui.px(6));
  if (release.hovered) ui.fill(cross, fade(ui.theme.b, 0.3f), ui.px(4));
  for (const auto& [touch, box] : {std::pair{&release, &cross}, std::pair{&compare, &chip}})
    if (touch->focused) ui.frame(box->grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  ui.text(chip.x + pad, y, *words, {type::label, ui.theme.b, Ink::Medium});
  ui.text(cross.centre_x(), y, "×", {type::body, ui.theme.b, Ink::Regular, Align::Centre});
  tooltip(ui, compare.hovered, chip,
          {"Held", held.all, "What is shown is compared with this: a click opens Compare.", "F4"});
  tooltip(ui, release.hovered, cross, {"Drop", {}, "Nothing is held any more.", "Shift+\\"});
  if (release.clicked) scene.requests.release_held = true;
  pressed = compare.clicked;
  return chip.right();
}

}  // namespace attnscope
