// app/kit/draw: a vector copy of what is drawn: shapes as shapes, text as text, the cells of a matrix as
// rectangles. Units are the pixels of the frame that is copied. No GL and no Dear ImGui in here.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/draw/image.hpp"
#include "app/kit/draw/raster.hpp"

namespace attnscope {

class SvgCanvas {
 public:
  struct Area {
    float x = 0, y = 0, w = 0, h = 0;
    float right() const { return x + w; }
    float bottom() const { return y + h; }
    bool operator==(const Area&) const = default;
  };
  struct Point {
    float x = 0, y = 0;
  };
  /// One line of text. `from` is the left end of its baseline, or the lower end where it is upright.
  struct Text {
    Point from;
    float width = 0;   // as drawn here; a reader with other fonts squeezes or stretches its text to it
    float em = 16;     // font size
    float above = 12;  // from the baseline up to the top of the line
    int weight = 400;
    float anchor = 0;  // the share of the width that lies left of the point it was placed at: 0, 0.5 or 1
    Rgba colour = 0;
    bool upright = false;  // bottom to top
    bool right_to_left =
        false;  // the reader turns and joins the letters itself; this says which end is first
  };

  /// Only what lies in the region is copied; its corner becomes the origin.
  explicit SvgCanvas(const Area& region) : region_(region), clip_(region) {}

  /// What follows belongs to this layer (any address, the same for the same layer) and is clipped to `clip`.
  /// Layers lie on each other in the order in which they are first begun.
  void begin(const void* layer, const Area& clip);
  void rect(const Area&, Rgba, float radius = 0);
  void outline(const Area&, Rgba, float thickness, float radius = 0);
  void circle(Point centre, float radius, Rgba);
  void ring(Point centre, float radius, Rgba, float thickness);
  void polyline(std::span<const Point>, Rgba, float thickness);
  void polygon(std::span<const Point>, Rgba);
  void text(const Text&, std::string_view);
  /// Whole pixels, embedded as PNG.
  void image(const Area&, const Image&, float opacity);
  /// The matrix as one rectangle per cell, or as pixels where there are too many cells to edit by hand.
  void matrix(const Area&, const RasterJob&, float opacity);

  /// The file. One pixel is 1 / `scale` units of the page, so a picture drawn at twice the scale has the same
  /// size on the page and finer detail.
  std::string finish(std::string_view title, float scale) const;

 private:
  struct Layer {
    const void* key;
    std::string elements;
    Area clip;  // of the group that is open
    bool grouped = false;
  };
  static constexpr std::size_t most_cells = 20'000;

  bool add(const Area& bounds, std::string_view element);
  int clip_id(const Area&);
  int hatch_id(const RasterJob&, const Area&);

  Area region_, clip_;
  std::vector<Layer> layers_;
  std::size_t layer_ = 0;
  std::vector<Area> clips_;
  std::vector<std::string> hatches_;
};

}  // namespace attnscope
