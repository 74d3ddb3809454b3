// app/kit/draw: glyphs of a font file as pixels. No GL and no Dear ImGui in here.
#pragma once

#include <memory>
#include <vector>

#include "app/kit/draw/text_shaping.hpp"

namespace attnscope {

struct GlyphPixels {
  int width = 0, height = 0;  // samples; 0 for a space
  std::vector<unsigned char> coverage;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // bounds in pixels from the origin; y down
};

/// The outlines in a Face's file. For one thread.
class Outlines {
 public:
  /// Null if the file has no outlines that can be drawn.
  static std::unique_ptr<Outlines> of(FacePtr face);
  ~Outlines();

  int count() const;
  /// The glyph's pixels for a text of that size, with `across` × `down` samples in each pixel.
  GlyphPixels draw(int glyph, float size, int across, int down) const;

 private:
  struct Info;
  Outlines();

  FacePtr face_;  // owns the bytes
  std::unique_ptr<Info> info_;
};

}  // namespace attnscope
