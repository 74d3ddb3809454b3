// app/kit/ui: draws shaped text through Dear ImGui, which knows characters only: every font file is also
// loaded as a font whose characters are its glyph numbers. Also the box for characters that no font has.
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

  /// The shaped text, valid until the next call; null if Dear ImGui draws the text right by itself.
  const ShapedText* shape(std::size_t weight, std::string_view text);
  /// Draws from `at`, the upper left corner of the line, into the current frame. `plain` is the font of that
  /// weight that Dear ImGui draws with: it contains the box and defines the baseline.
  void draw(ImDrawList&, ImFont& plain, std::size_t weight, float size, ImVec2 at, ImU32 colour,
            const ShapedText&);

 private:
  ImFont* font_of(const FacePtr& face);

  std::vector<Shaper> shapers_;
  std::unordered_map<FacePtr, ImFont*> fonts_;
};

/// The character of the box: one that no text contains. Other fonts merged into the same one must leave it
/// out.
inline constexpr ImWchar missing_sign = 0x01;
/// Adds the box to a font that was just added to the current context's atlas: it is drawn for every character
/// that the font does not have, as wide as a digit.
void add_missing_box(ImFont& font);

}  // namespace attnscope
