// tests/app: the texts in the column of a lesson's words.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui_internal.h>

#include "app/lesson_robot.hpp"

namespace attnscope::test {

/// The part of the window in which the words scroll.
inline Box words_column() {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
    if (window->WasActive && std::string_view(window->Name).find("lesson words") != std::string_view::npos)
      return {window->Pos.x, window->Pos.y, window->Size.x, window->Size.y};
  return {};
}

/// Its texts, in the order in which they are drawn; what is scrolled out of it is not among them.
inline std::vector<PlacedText> texts_in(Robot& robot, const Box& column) {
  std::vector<PlacedText> texts = texts_of(robot);
  std::erase_if(texts, [&](const PlacedText& text) {
    return text.x0 < column.x || text.x1 > column.right() + 1 || text.y1 < column.y ||
           text.y0 > column.bottom();
  });
  return texts;
}

/// The words of each piece of prose that is drawn by itself: numbers are computed, and words without a space
/// before a number or a formula are drawn with it.
inline std::vector<std::vector<std::string>> words_of(const lessons::Prose& prose) {
  std::vector<std::vector<std::string>> all;
  const auto is_of_words = [](const lessons::Piece& piece) {
    return piece.kind == lessons::Piece::Kind::Plain || piece.kind == lessons::Piece::Kind::Strong;
  };
  const auto are_glued = [&](const lessons::Piece& before, const lessons::Piece& after) {
    return !(is_of_words(before) && before.text.ends_with(' ')) &&
           !(is_of_words(after) && after.text.starts_with(' '));
  };
  for (auto at_piece = prose.begin(); at_piece != prose.end(); ++at_piece) {
    const lessons::Piece& piece = *at_piece;
    if (!is_of_words(piece)) continue;
    std::vector<std::string> words;
    for (std::size_t at = 0; at < piece.text.size();) {
      const std::size_t end = std::min(piece.text.find(' ', at), piece.text.size());
      if (end > at) words.push_back(piece.text.substr(at, end - at));
      at = end + 1;
    }
    if (!words.empty() && std::next(at_piece) != prose.end() && are_glued(piece, *std::next(at_piece)))
      words.pop_back();
    if (!words.empty() && at_piece != prose.begin() && are_glued(*std::prev(at_piece), piece))
      words.erase(words.begin());
    if (!words.empty()) all.push_back(std::move(words));
  }
  return all;
}

/// The first piece of the prose that is not wholly in sight there, as text; empty: all of it is.
inline std::string hidden_of(const lessons::Prose& prose, const std::vector<PlacedText>& texts,
                             const Box& column) {
  for (const std::vector<std::string>& words : words_of(prose)) {
    const auto found = std::search(texts.begin(), texts.end(), words.begin(), words.end(),
                                   [](const PlacedText& a, const std::string& b) { return a.text == b; });
    const auto count = found == texts.end() ? 0 : std::ssize(words);
    const bool whole = count > 0 && std::all_of(found, found + count, [&](const PlacedText& text) {
                         return text.y0 >= column.y - 1 && text.y1 <= column.bottom() + 1;
                       });
    if (whole) continue;
    std::string all;
    for (const std::string& word : words) all += word + " ";
    return all;
  }
  return {};
}

inline std::string overlaps_in(const std::vector<PlacedText>& texts) {
  std::string all;
  for (const std::string& one : collisions(texts)) all += one + "\n";
  return all;
}

}  // namespace attnscope::test
