// tests/app: a robot with the heads, and Documents with many heads.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "controls_robot.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/files/document/open.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

using Kind = Intervention::Kind;

struct Wide : Robot {
  Wide() : Robot({.width = 1600, .height = 1000}) { settle(); }
};

inline Kind kind_of(const Document& document, std::int64_t head) {
  return has_intervention(document, head)
             ? document.layer().interventions[static_cast<std::size_t>(head)].kind
             : Kind::None;
}

inline void shift_click(Robot& robot, std::string_view label) {
  robot.move(robot.centre(label));
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  robot.frame();
  robot.press();
  robot.release();
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  robot.settle();
}

/// Opens the menu of a head by a right click and chooses a row.
inline void choose_in_menu(Robot& robot, int head, std::string_view row) {
  robot.right_click(robot.centre("head " + std::to_string(head)));
  robot.frame(2);
  click(robot, row);
}

/// Mean brightness of what is drawn for a head, label and read-outs included.
inline double brightness(Robot& robot, int head) {
  const RecordedItem* item = robot.items().find("head " + std::to_string(head));
  if (item == nullptr) return 0;
  const Image pixels = robot.pixels();
  double sum = 0;
  int count = 0;
  for (int y = static_cast<int>(item->min.y) + 24; y < static_cast<int>(item->max.y) - 20; ++y)
    for (int x = static_cast<int>(item->min.x); x < static_cast<int>(item->max.x); ++x, ++count) {
      const std::uint32_t p = pixels.at(x, y);
      sum += (p & 0xFF) + (p >> 8 & 0xFF) + (p >> 16 & 0xFF);
    }
  return sum / count;
}

/// The heads by the places of their thumbnails, row by row.
inline std::vector<std::int64_t> places(Robot& robot) {
  struct Place {
    ImVec2 at;
    std::int64_t head;
  };
  std::vector<Place> found;
  for (std::int64_t h = 0; h < shown(robot).dimensions.heads; ++h)
    if (const RecordedItem* item = robot.items().find("head " + std::to_string(h)))
      found.push_back({item->min, h});
  std::ranges::sort(found, [](const Place& a, const Place& b) {
    return std::abs(a.at.y - b.at.y) > 2 ? a.at.y < b.at.y : a.at.x < b.at.x;
  });
  std::vector<std::int64_t> heads;
  for (const Place& place : found) heads.push_back(place.head);
  return heads;
}

/// The heads sorted by a number, the largest first.
template <class Number>
std::vector<std::int64_t> sorted_by(std::int64_t heads, Number number) {
  std::vector<std::int64_t> all;
  for (std::int64_t h = 0; h < heads; ++h) all.push_back(h);
  std::ranges::stable_sort(all, [&](std::int64_t a, std::int64_t b) { return number(a) > number(b); });
  return all;
}

inline std::filesystem::path saved(const TemporaryDirectory& directory, const Document& document) {
  const std::filesystem::path path = directory / "document.json";
  save_document(document, path);
  return path;
}

inline Document sentence(const std::string& text, int heads, int d_model) {
  Document document;
  document.input.sequences.change().resize(1);
  document = edit::text(document, 0, text);
  document.layer().d_model = d_model;
  document.layer().heads = heads;
  document.layer().masking.causal = true;
  return edit::recipe(document, d_model >= 16 ? Recipe::HandBuilt : Recipe::Random);
}

}  // namespace attnscope::test
