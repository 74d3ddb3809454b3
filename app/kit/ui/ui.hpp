// app/kit/ui: the drawing functions of every widget and view: theme, fonts, scale and a few exact strokes.
// All drawing goes through here, and only here onto Dear ImGui's draw list. Sizes are logical pixels unless a
// name says otherwise; px() converts them to whole device pixels.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/kit/draw/svg.hpp"
#include "app/kit/draw/texture.hpp"
#include "app/kit/ui/fonts.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/kit/ui/theme.hpp"

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

enum class Ink { Regular, Medium, Semibold, Mono };
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

class Words;
struct ShapedText;

/// A widget that is being shown to the person, found by its label in touch(): it scrolls into sight, takes
/// the keyboard and is ringed for a few seconds.
struct Sought {
  std::string label;     // empty: no widget is sought
  std::string fallback;  // the title of its section, sought if the first is not there
  int frames = 0;        // left to look for it, or to scroll to it; a section takes one to open
  Box box;               // its box in the last frame, clipped to what is in sight
  double until = 0;      // ImGui::GetTime() at which the ring goes; 0: not found yet
};

/// Texts are given in English and drawn in the chosen language; a person's own words are marked with own()
/// and stay. Every text passes through here once, so that the measured text is the drawn one.
class Ui {
 public:
  /// The target of the drawing: the window, or a file.
  struct Purpose {
    SvgCanvas* copy = nullptr;     // where everything is drawn a second time, as vectors; null: nowhere
    bool figure = false;           // for a page: it takes no clicks
    const Words* words = nullptr;  // null: English
    Sought* sought = nullptr;      // a widget that is being shown to the person; null: none
    bool leaves_field = false;     // see leaves_field()
  };
  Ui(const Theme& colours, const Fonts& fonts, TextureCache& pictures, float scale, Purpose purpose)
      : theme(colours), textures(pictures), fonts_(fonts), scale_(scale), purpose_(purpose) {}
  Ui(const Theme& colours, const Fonts& fonts, TextureCache& pictures, float scale)
      : Ui(colours, fonts, pictures, scale, {}) {}

  const Theme& theme;
  TextureCache& textures;

  float px(float logical) const { return std::round(logical * scale_); }
  float scale() const { return scale_; }
  ImFont* font(Ink ink) const;
  /// In a figure, controls show their value and leave out the other choices.
  bool is_figure() const { return purpose_.figure; }
  /// The active text field loses the keyboard in this frame as by a click elsewhere: its text is taken.
  bool leaves_field() const { return purpose_.leaves_field; }

  /// One line, vertically centred on `y`, starting at, centred on or ending at `x` (device pixels). Returns
  /// its width.
  float text(float x, float y, std::string_view text, const TextStyle& style) const;
  float text_width(std::string_view text, float size, Ink ink = Ink::Regular) const;
  /// Bottom to top, centred on `x`, starting at `y_bottom`.
  void upright_text(float x, float y_bottom, std::string_view text, const TextStyle& style) const;
  /// The translated text, for drawing elsewhere: hints in Dear ImGui's own fields.
  std::string translated(std::string_view text) const;
  /// The text cut to the width, with "…" where it was cut; marked as own words, since it is translated.
  std::string fitted(std::string_view text, float size, Ink ink, float max_width) const;
  /// Lines broken at spaces; returns the height used (device pixels).
  float paragraph(float x, float y_top, float width, std::string_view text, const TextStyle& style) const;
  /// The height paragraph() would use.
  float paragraph_height(float width, std::string_view text, float size, Ink ink = Ink::Regular) const;

  void fill(const Box&, Rgba, float radius = 0) const;
  void frame(const Box&, Rgba, float thickness = 1, float radius = 0) const;
  void horizontal(float x, float y, float width, Rgba) const;  // a hairline: one crisp pixel
  void vertical(float x, float y, float height, Rgba) const;

  void disc(ImVec2 centre, float radius, Rgba) const;
  void ring(ImVec2 centre, float radius, Rgba, float thickness = 1) const;
  /// Straight pieces from point to point.
  void polyline(std::span<const ImVec2> points, Rgba, float thickness = 1) const;
  /// A line that goes up and down within columns of pixels. The screen shows `bars`, which cost a tenth of a
  /// smoothed line and look the same; the vector copy gets the line.
  void jagged_line(std::span<const ImVec2> points, std::span<const Box> bars, Rgba, float thickness) const;
  /// A convex area. Its edges are not smoothed, so that areas side by side leave no seam.
  void area(std::span<const ImVec2> corners, Rgba) const;
  /// A picture that fills the box at screen resolution. It is painted again only if `content`, a hash of
  /// everything it shows, has changed for this place.
  void picture(const char* place, std::uint64_t content, const Box&, const std::function<Image()>& paint,
               float opacity = 1) const;
  /// The same for the cells of a matrix, which stay cells in a vector copy: `make` builds the job and passes
  /// it on.
  using UseJob = std::function<void(const RasterJob&)>;
  void matrix(const char* place, std::uint64_t content, const Box&,
              const std::function<void(const UseJob&)>& make, float opacity = 1) const;
  /// Draws the text of one of Dear ImGui's own text fields into the copy only: the field draws itself on the
  /// screen. The text is not translated.
  void copy_field(const Box&, std::string_view text, const TextStyle&) const;
  /// Whether Dear ImGui's own text field would show the text in another order or with other letters than
  /// text() does.
  bool is_shaped(std::string_view text) const;
  /// Draws the text of such a field on the screen only, while no text is typed into it.
  void field_text(const Box&, std::string_view text, const TextStyle&) const;
  /// Nothing is drawn outside the box until the matching unclip().
  void clip(const Box&) const;
  void unclip() const;

  /// An area that can be pointed at, clicked and focused; `label` is its ID. Leaves no trace in ImGui's
  /// layout.
  struct Touch {
    bool hovered = false, held = false, clicked = false, focused = false;
    /// Hovered by the mouse itself, not by the keyboard's focus: only then the mouse's place means something.
    bool pointed = false;
  };
  Touch touch(const char* label, const Box&, bool focusable = true) const;
  /// For items that take the mouse without touch(): checks whether the item drawn last, with this label, is
  /// the one that is sought.
  void show_if_sought(std::string_view label, const Box&) const;

  /// Pushes font and size so that Dear ImGui's own widgets (text fields) match; pair with ImGui::PopFont().
  void push_font(float size, Ink ink = Ink::Regular) const;

 private:
  ImDrawList* list() const { return ImGui::GetWindowDrawList(); }
  SvgCanvas* copy() const;  // ready for the next stroke; null: none
  std::string_view translated(std::string_view text, std::string& room) const;
  // These take translated text.
  float width_of(std::string_view text, float size, Ink ink) const;
  std::string cut(std::string_view text, float size, Ink ink, float max_width) const;
  float line(ImVec2 at, std::string_view text, const TextStyle& style) const;
  const ShapedText* shaped(std::string_view text, Ink ink) const;  // null: Dear ImGui draws it right
  void put(ImVec2 at, std::string_view text, float size, Ink ink, Rgba colour) const;
  void copy_text(ImVec2 at, std::string_view text, float width, const TextStyle&, bool upright) const;
  std::vector<std::string> broken(std::string_view text, float size, Ink ink, float width) const;
  float line_height(float size) const { return std::round(size * scale_ * 1.3f); }

  const Fonts& fonts_;
  float scale_;
  Purpose purpose_;
};

}  // namespace attnscope
