// app: what every widget and view draws with: theme, fonts, scale and a few exact strokes on Dear ImGui's
// draw list. Sizes are logical pixels unless a name says otherwise; px() turns them into whole device pixels.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/draw/texture.hpp"
#include "app/fonts.hpp"
#include "app/theme.hpp"

namespace attnscope {

/// A rectangle in device pixels.
struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  float centre_x() const { return x + w / 2; }
  float centre_y() const { return y + h / 2; }
  ImVec2 min() const { return {x, y}; }
  ImVec2 max() const { return {x + w, y + h}; }
  bool contains(ImVec2 p) const { return p.x >= x && p.y >= y && p.x < right() && p.y < bottom(); }
  Box grown(float by) const { return {x - by, y - by, w + 2 * by, h + 2 * by}; }
};

enum class Ink { Regular, Medium, Semibold };
enum class Align { Left, Centre, Right };

/// Sizes of the type scale (Dear ImGui size = em x 1.21).
namespace type {
inline constexpr float readout = 32, title = 18, body = 16, label = 14, tick = 13;
}

struct TextStyle {
  float size = type::label;
  Rgba colour = 0;
  Ink ink = Ink::Regular;
  Align align = Align::Left;
  float max_width = 0;  // device pixels; longer text ends in "…"; 0 = no limit
};

class Ui {
 public:
  Ui(const Theme& colours, const Fonts& fonts, TextureCache& pictures, float scale)
      : theme(colours), textures(pictures), fonts_(fonts), scale_(scale) {}

  const Theme& theme;
  TextureCache& textures;

  float px(float logical) const { return std::round(logical * scale_); }
  float scale() const { return scale_; }
  ImDrawList* list() const { return ImGui::GetWindowDrawList(); }
  ImFont* font(Ink ink) const;

  /// One line, vertically centred on `y`, starting at, centred on or ending at `x` (device pixels). Returns
  /// its width.
  float text(float x, float y, std::string_view text, const TextStyle& style) const;
  float text_width(std::string_view text, float size, Ink ink = Ink::Regular) const;
  /// Bottom to top, centred on `x`, starting at `y_bottom`.
  void upright_text(float x, float y_bottom, std::string_view text, const TextStyle& style) const;
  /// The text cut to the width, with "…" where it was cut.
  std::string fitted(std::string_view text, float size, Ink ink, float max_width) const;
  /// Lines broken at spaces; returns the height used (device pixels).
  float paragraph(float x, float y_top, float width, std::string_view text, const TextStyle& style) const;
  /// The height paragraph() would use.
  float paragraph_height(float width, std::string_view text, float size, Ink ink = Ink::Regular) const;

  void fill(const Box&, Rgba, float radius = 0) const;
  void frame(const Box&, Rgba, float thickness = 1, float radius = 0) const;
  void horizontal(float x, float y, float width, Rgba) const;  // a hairline: one crisp pixel
  void vertical(float x, float y, float height, Rgba) const;

  /// An area that can be pointed at, clicked and focused; `label` is its ID. Leaves no trace in ImGui's
  /// layout.
  struct Touch {
    bool hovered = false, held = false, clicked = false, focused = false;
  };
  Touch touch(const char* label, const Box&, bool focusable = true) const;

  /// Pushes font and size so that Dear ImGui's own widgets (text fields) match; pair with ImGui::PopFont().
  void push_font(float size, Ink ink = Ink::Regular) const;

 private:
  std::vector<std::string> broken(std::string_view text, float size, Ink ink, float width) const;
  float line_height(float size) const { return std::round(size * scale_ * 1.3f); }

  const Fonts& fonts_;
  float scale_;
};

}  // namespace attnscope
