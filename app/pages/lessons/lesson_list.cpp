// app/pages/lessons: the courses, and all lessons in groups: duration, what they build on, progress.
#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/pages/lessons/lesson_page.hpp"
#include "app/pages/lessons/lesson_signs.hpp"
#include "app/state/teaching/experiment_lessons.hpp"

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

constexpr float lesson_row_height = 44, lesson_group_height = 34, lesson_group_gap = 18;  // logical pixels

std::int64_t reached_step(const Scene& scene, const lessons::LessonEntry& entry) {
  const auto found = scene.lesson->furthest->find(entry.name);
  return found == scene.lesson->furthest->end() ? 0 : found->second;
}
bool was_read(const lessons::LessonEntry& entry, std::int64_t reached) {
  return entry.steps > 1 && reached + 1 >= entry.steps;
}

/// "in English   ·   after 3, 7   ·   at step 4": what the lesson builds on, and how far it was read.
std::string lesson_facts(const lessons::LessonEntry& entry, std::int64_t reached) {
  if (!entry.problem.empty()) return own(entry.problem);
  std::string after;
  for (const std::int64_t number : entry.after) after += (after.empty() ? "" : ", ") + std::to_string(number);
  std::string words;
  if (entry.is_english) words += "in English   ·   ";  // first, since a narrow row cuts what stands last
  words += after.empty() ? std::string("to begin with") : "after " + own(after);
  if (was_read(entry, reached))
    words += "   ·   read";
  else if (reached > 0)
    words += "   ·   at step " + std::to_string(reached + 1);
  return words;
}

/// "8 min   ·   9 steps   ·   trains", for the tip.
std::string lesson_needs(const lessons::LessonEntry& entry) {
  std::string words = std::to_string(entry.minutes) + " min   ·   " + counted(entry.steps, "step", "steps");
  if (entry.trains) words += "   ·   trains";
  if (entry.needs_model) words += "   ·   needs a model";
  if (entry.is_english) words += "   ·   in English";
  return words;
}

/// The experiments whose lesson this is: badges at the right end of the row's second line.
struct ExperimentBadge {
  std::int64_t number;
  Box box;
  Ui::Touch touch;
};
std::vector<ExperimentBadge> touch_badges(const Scene& scene, const lessons::LessonEntry& entry,
                                          const Box& row) {
  const Ui& ui = scene.ui;
  std::vector<ExperimentBadge> badges;
  float right = row.right() - ui.px(8);
  for (const LessonOfExperiment& one : lessons_of_experiments | std::views::reverse) {
    if (one.lesson != entry.name) continue;
    const float wide = ui.text_width("E" + std::to_string(one.experiment), type::tick) + ui.px(10);
    const Box box{right - wide, row.y + ui.px(22), wide, ui.px(18)};
    right -= wide + ui.px(4);
    badges.push_back({one.experiment, box,
                      ui.touch(("experiment of lesson " + std::to_string(one.experiment)).c_str(), box)});
  }
  return badges;
}

/// Returns the left end of the badges.
float draw_badges(Scene& scene, const std::vector<ExperimentBadge>& badges, float right) {
  const Ui& ui = scene.ui;
  for (const ExperimentBadge& one : badges) {
    const std::string words = "E" + std::to_string(one.number);
    badge(ui, one.box, words, one.touch.hovered ? ui.theme.control_hover : ui.theme.control, ui.theme.query);
    if (one.touch.focused) ui.frame(one.box.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
    tooltip(ui, one.touch.hovered, one.box,
            {"Experiment " + std::to_string(one.number), {}, "Measures what this lesson asks.", {}});
    if (one.touch.clicked) open_experiment_numbered(scene, one.number);
    right = std::min(right, one.box.x - ui.px(6));
  }
  return right;
}

void draw_lesson_entry(Scene& scene, const lessons::LessonEntry& entry, const Box& row) {
  const Ui& ui = scene.ui;
  const std::int64_t reached = reached_step(scene, entry);
  // They take the mouse before the row, and are drawn on it.
  const std::vector<ExperimentBadge> badges = touch_badges(scene, entry, row);
  const bool broken = !entry.problem.empty(), begun = !broken && reached > 0;
  const bool is_here = begun && !was_read(entry, reached);
  const Ui::Touch touch = ui.touch(("lesson " + entry.name).c_str(), row);
  if (touch.hovered || is_here)
    ui.fill(row, touch.hovered ? ui.theme.control_hover : fade(ui.theme.query, 0.1f), ui.px(6));
  if (touch.focused) ui.frame(row, ui.theme.query, ui.px(2), ui.px(6));
  if (begun) ui.fill({row.x, row.y + ui.px(10), ui.px(3), row.h - ui.px(20)}, ui.theme.query, ui.px(1));
  const float line = row.y + ui.px(14), below = row.y + ui.px(31), x = row.x + ui.px(44);
  ui.text(row.x + ui.px(32), line, std::to_string(entry.number),
          {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  float right = row.right() - ui.px(8);
  if (!broken) {
    right -= ui.text(right, line, std::to_string(entry.minutes) + " min",
                     {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
    right = std::min(right, row.right() - ui.px(56));
  }
  const auto sign = [&](bool there, void (*draw)(const Ui&, ImVec2, Rgba)) {
    if (!there) return;
    draw(ui, {right - ui.px(8), line}, ui.theme.text2);
    right -= ui.px(20);
  };
  sign(entry.needs_model, draw_model_sign);
  sign(entry.trains, draw_trains_sign);
  ui.text(x, line, own(entry.title),
          {type::label, ui.theme.text1, is_here ? Ink::Semibold : Ink::Medium, Align::Left,
           right - x - ui.px(8)});
  const float room = draw_badges(scene, badges, row.right() - ui.px(8)) - x;
  ui.text(x, below, lesson_facts(entry, reached),
          {type::tick,
           broken    ? ui.theme.error
           : is_here ? ui.theme.query
                     : ui.theme.text2,
           Ink::Regular, Align::Left, room});
  tooltip(ui, touch.hovered, row,
          {own(entry.title),
           broken ? std::string() : lesson_needs(entry),
           broken ? own(entry.problem) : own(entry.about),
           {}});
  if (!touch.clicked || broken) return;
  open_lesson(scene, entry.name, was_read(entry, reached) ? 0 : reached);
}

/// The lessons of a group, from `begin` up to `end` in the list.
struct GroupRows {
  std::size_t group, begin, end;
  float height(const Ui& ui) const {
    return ui.px(lesson_group_height) + ui.px(lesson_row_height) * static_cast<float>(end - begin) +
           ui.px(lesson_group_gap);
  }
};

std::vector<GroupRows> lesson_group_rows(const std::vector<lessons::LessonEntry>& entries) {
  std::vector<GroupRows> groups;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t group = group_of(entries[i]);
    if (groups.empty() || groups.back().group != group) groups.push_back({group, i, i});
    groups.back().end = i + 1;
  }
  return groups;
}

/// The column of each group: columns from left to right, each as high as its share of all.
std::vector<std::size_t> columns_of_groups(const Ui& ui, const std::vector<GroupRows>& groups,
                                           std::size_t columns) {
  float all = 0;
  for (const GroupRows& group : groups) all += group.height(ui);
  std::vector<std::size_t> placed;
  float above = 0;
  for (const GroupRows& group : groups) {
    const float middle = above + group.height(ui) / 2;
    const auto column = static_cast<std::size_t>(middle / all * static_cast<float>(columns));
    placed.push_back(std::min(columns - 1, column));
    above += group.height(ui);
  }
  return placed;
}

void draw_group(Scene& scene, const GroupRows& group, float x, float y, float width) {
  const Ui& ui = scene.ui;
  ui.text(x, y + ui.px(12), lesson_groups[group.group].name,
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, width});
  ui.horizontal(x, y + ui.px(26), width, ui.theme.hairline);
  y += ui.px(lesson_group_height);
  for (std::size_t i = group.begin; i < group.end; ++i) {
    draw_lesson_entry(scene, (*scene.lesson->entries)[i], {x, y, width, ui.px(lesson_row_height) - ui.px(2)});
    y += ui.px(lesson_row_height);
  }
}

/// "Lessons", their number, what the signs mean, and one sentence. Returns the y below.
float draw_list_head(Scene& scene, float x, float y, float width) {
  const Ui& ui = scene.ui;
  const auto& entries = *scene.lesson->entries;
  float left = x + ui.text(x, y + ui.px(12), "Lessons", {type::title, ui.theme.text1, Ink::Semibold});
  left += ui.px(16);
  left += ui.text(left, y + ui.px(12), std::to_string(entries.size()), {type::label, ui.theme.text2});
  const auto sign = [&](void (*draw)(const Ui&, ImVec2, Rgba), std::string_view words) {
    left += ui.px(32);
    draw(ui, {left, y + ui.px(12)}, ui.theme.text2);
    left += ui.px(12);
    left += ui.text(left, y + ui.px(12), words, {type::tick, ui.theme.text2});
  };
  sign(draw_model_sign, "needs a model");
  sign(draw_trains_sign, "trains");
  y += ui.px(34);
  const std::string& problem = scene.lesson->problem;
  if (!problem.empty())
    y += ui.paragraph(x, y, std::min(width, ui.px(900)), own(problem),
                      {type::body, ui.theme.error, Ink::Medium});
  else
    y += ui.paragraph(x, y, std::min(width, ui.px(900)),
                      "Each takes some minutes and asks before it shows; those on a real model say how it is "
                      "got. Esc leaves a step for free play and comes back to it.",
                      {type::label, ui.theme.text2});
  y += ui.px(18);
  if (entries.empty())
    ui.text(x, y + ui.px(10), "There are no lessons beside the program.", {type::body, ui.theme.text2});
  return y;
}

}  // namespace

void draw_lesson_list(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  if (scene.lesson == nullptr) return;
  const float pad = ui.px(scene.compact ? 24 : 40);
  ImGui::SetCursorScreenPos(box.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("lesson list", {box.w, box.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  keep_scroll(ui, moments_of(lesson_of(scene.view)).list_scroll);
  float y = ImGui::GetCursorScreenPos().y + ui.px(scene.compact ? 16 : 26);
  const float x = box.x + pad, width = std::max(ui.px(240), box.w - 2 * pad);
  for (const lessons::Course& course : *scene.lesson->courses) y = draw_course(scene, course, x, y, width);
  y = draw_list_head(scene, x, y, width);
  const float gap = ui.px(16);
  const std::size_t columns =
      static_cast<std::size_t>(std::clamp(std::floor((width + gap) / (ui.px(288) + gap)), 1.f, 4.f));
  const float column =
      std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const std::vector<GroupRows> groups = lesson_group_rows(*scene.lesson->entries);
  const std::vector<std::size_t> placed = columns_of_groups(ui, groups, columns);
  std::vector<float> ends(columns, y);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    float& end = ends[placed[i]];
    draw_group(scene, groups[i], x + (column + gap) * static_cast<float>(placed[i]), end, column);
    end += groups[i].height(ui);
  }
  y = *std::ranges::max_element(ends);
  ImGui::SetCursorScreenPos({box.x, y});
  ImGui::Dummy({1, ui.px(12)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
