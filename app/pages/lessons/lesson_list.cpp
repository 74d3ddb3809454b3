// app/pages/lessons: all lessons, with duration and progress.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/lessons/lesson_page.hpp"

namespace attnscope {
namespace {

/// A group of lessons: from this number up to the next group's.
struct LessonGroup {
  std::int64_t first;
  std::string_view name;
};
constexpr std::array<LessonGroup, 8> lesson_groups{{{1, "Attention by hand"},
                                                    {5, "Masks, heads, positions"},
                                                    {12, "Gradients, length, memory"},
                                                    {15, "From a word to a block"},
                                                    {18, "Heads of a language model"},
                                                    {22, "Heads while they form"},
                                                    {28, "Other trained models"},
                                                    {30, "Around attention"}}};

/// A lesson's index in lesson_groups; that of the first group if it has no number.
std::size_t group_of(const lessons::LessonEntry& entry) {
  const auto after = std::ranges::upper_bound(lesson_groups, entry.number, {}, &LessonGroup::first);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - lesson_groups.begin() - 1));
}

/// "5 min · 9 steps", what the lesson needs, and how far it was read.
std::string lesson_facts(const lessons::LessonEntry& entry, std::int64_t furthest) {
  std::string words = std::to_string(entry.minutes) + " min   ·   " + counted(entry.steps, "step", "steps");
  if (entry.trains) words += "   ·   trains";
  if (entry.needs_model) words += "   ·   needs a model";
  if (entry.is_english) words += "   ·   in English";
  if (furthest + 1 >= entry.steps && furthest > 0) return words + "   ·   read";
  if (furthest > 0) words += "   ·   at step " + std::to_string(furthest + 1);
  return words;
}

/// The sentence about the lesson on a card.
struct LessonAbout {
  float x, width;  // from the card's left
  std::string words;
};
LessonAbout about_of(const Ui& ui, const lessons::LessonEntry& entry, float card) {
  const float pad = ui.px(16), number = ui.px(40);
  return {pad + number, card - 2 * pad - number, own(entry.problem.empty() ? entry.about : entry.problem)};
}

/// The height of the cards: as the longest of these sentences needs.
float card_height(const Ui& ui, const std::vector<lessons::LessonEntry>& entries, float card) {
  float words = 0;
  for (const lessons::LessonEntry& entry : entries) {
    const LessonAbout about = about_of(ui, entry, card);
    words = std::max(words, ui.paragraph_height(about.width, about.words, type::label));
  }
  return std::max(ui.px(124), ui.px(40) + words + ui.px(32));
}

void draw_lesson_entry(Scene& scene, const lessons::LessonEntry& entry, const Box& card) {
  const Ui& ui = scene.ui;
  const auto& furthest = *scene.lesson->furthest;
  const auto found = furthest.find(entry.name);
  const std::int64_t reached = found == furthest.end() ? 0 : found->second;
  const std::string label = "lesson " + entry.name;
  const Ui::Touch touch = ui.touch(label.c_str(), card);
  ui.fill(card, touch.hovered ? ui.theme.control_hover : ui.theme.raised, ui.px(8));
  if (touch.focused) ui.frame(card.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(10));
  const float pad = ui.px(16);
  ui.text(card.x + pad, card.y + ui.px(26), std::to_string(entry.number),
          {type::title, ui.theme.query, Ink::Semibold});
  const LessonAbout about = about_of(ui, entry, card.w);
  const float x = card.x + about.x, width = about.width;
  ui.text(x, card.y + ui.px(24), own(entry.title),
          {type::body, ui.theme.text1, Ink::Semibold, Align::Left, width});
  ui.clip(card);
  ui.paragraph(x, card.y + ui.px(40), width, about.words,
               {type::label, entry.problem.empty() ? ui.theme.text2 : ui.theme.error});
  ui.unclip();
  if (!entry.problem.empty()) return;
  const float line = card.bottom() - ui.px(18);
  ui.text(x, line, lesson_facts(entry, reached), {type::tick, ui.theme.text2});
  if (entry.steps > 1 && reached > 0) {
    const Box track{card.right() - pad - ui.px(80), line - ui.px(2), ui.px(80), ui.px(4)};
    ui.fill(track, ui.theme.control_hover, ui.px(2));
    const float share = static_cast<float>(reached + 1) / static_cast<float>(entry.steps);
    ui.fill({track.x, track.y, std::round(track.w * std::min(1.f, share)), track.h}, ui.theme.query,
            ui.px(2));
  }
  if (!touch.clicked) return;
  const bool read = reached + 1 >= entry.steps;
  open_lesson(scene, entry.name, read ? 0 : reached);
}

}  // namespace

void draw_lesson_list(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  if (scene.lesson == nullptr) return;
  const auto& entries = *scene.lesson->entries;
  const float pad = ui.px(scene.compact ? 24 : 40);
  ImGui::SetCursorScreenPos(box.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("lesson list", {box.w, box.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  keep_scroll(ui, moments_of(lesson_of(scene.view)).list_scroll);
  float y = ImGui::GetCursorScreenPos().y + ui.px(scene.compact ? 20 : 32);
  const float x = box.x + pad, width = box.w - 2 * pad;
  ui.text(x, y + ui.px(12), "Lessons", {type::readout - 4, ui.theme.text1, Ink::Semibold});
  y += ui.px(36);
  const std::string_view words = scene.lesson->problem.empty()
                                     ? "Each takes some minutes and asks before it shows; those on a "
                                       "real model say how it is got. Esc leaves a step for "
                                       "free play and comes back to it."
                                     : std::string_view();
  if (words.empty()) {
    y += ui.paragraph(x, y, std::min(width, ui.px(900)), own(scene.lesson->problem),
                      {type::body, ui.theme.error, Ink::Medium});
  } else {
    y += ui.paragraph(x, y, std::min(width, ui.px(900)), words, {type::body, ui.theme.text2});
  }
  y += ui.px(20);
  if (entries.empty())
    ui.text(x, y + ui.px(10), "There are no lessons beside the program.", {type::body, ui.theme.text2});
  const std::int64_t columns = std::max<std::int64_t>(1, static_cast<std::int64_t>(width / ui.px(380)));
  const float gap = ui.px(16);
  const float card =
      std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const float high = card_height(ui, entries, card);
  for (std::size_t begin = 0; begin < entries.size();) {
    const std::size_t group = group_of(entries[begin]);
    std::size_t end = begin;
    while (end < entries.size() && group_of(entries[end]) == group) ++end;
    ui.text(x, y + ui.px(10), lesson_groups[group].name,
            {type::body, ui.theme.text1, Ink::Semibold, Align::Left, width});
    y += ui.px(30);
    for (std::size_t i = begin; i < end; ++i) {
      const auto place = static_cast<std::int64_t>(i - begin);
      const auto column = static_cast<float>(place % columns), row = static_cast<float>(place / columns);
      draw_lesson_entry(scene, entries[i], {x + (card + gap) * column, y + (high + gap) * row, card, high});
    }
    const auto rows = (static_cast<std::int64_t>(end - begin) + columns - 1) / columns;
    y += (high + gap) * static_cast<float>(rows) + ui.px(8);
    begin = end;
  }
  ImGui::SetCursorScreenPos({box.x, y});
  ImGui::Dummy({1, ui.px(12)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
