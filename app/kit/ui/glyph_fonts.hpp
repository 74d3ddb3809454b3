// app/kit/ui: draws shaped text through Dear ImGui, which knows characters only: every font file is also a
// font whose characters are the numbers of its glyphs. And the box that stands for what no font has.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <imgui.h>

#include "app/kit/draw/text_shaping.hpp"

namespace attnscope {

class GlyphFonts {
 public:
  static constexpr std::size_t weights = 3;  // regular, medium, semibold
  struct Chain {
    std::vector<Shaper::Source> faces;  // one at least
    Shaper::Find find;
  };

  explicit GlyphFonts(std::array<Chain, weights> chains);

  /// Null for what Dear ImGui draws as it should be seen. The text lives until the next call.
  const ShapedText* shape(std::size_t weight, std::string_view text);
  /// From `at`, the upper left corner of the line, into the current frame. `plain` is the font of that weight
  /// that Dear ImGui draws with: it has the box, and the line's baseline is its.
  void draw(ImDrawList&, ImFont& plain, std::size_t weight, float size, ImVec2 at, ImU32 colour,
            const ShapedText&);

 private:
  ImFont* font_of(const FacePtr& face);

  std::vector<Shaper> shapers_;
  std::unordered_map<FacePtr, ImFont*> fonts_;
};

/// The character that the box is: one that no text has. What else is in a font must leave it out.
inline constexpr ImWchar missing_sign = 0x01;
/// Adds the box to a font that was just added to the current context's atlas: it is drawn for every character
/// that the font does not have, as wide as a digit.
void add_missing_box(ImFont& font);

}  // namespace attnscope
