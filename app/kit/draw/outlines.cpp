#include "app/kit/draw/outlines.hpp"

#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
#pragma GCC diagnostic pop

namespace attnscope {

struct Outlines::Info {
  stbtt_fontinfo font;
};

Outlines::Outlines() : info_(std::make_unique<Info>()) {}
Outlines::~Outlines() = default;

std::unique_ptr<Outlines> Outlines::of(FacePtr face) {
  std::unique_ptr<Outlines> outlines(new Outlines);
  const unsigned char* bytes = face->bytes().data();
  const int offset = stbtt_GetFontOffsetForIndex(bytes, face->index());
  if (offset < 0 || !stbtt_InitFont(&outlines->info_->font, bytes, offset)) return nullptr;
  outlines->face_ = std::move(face);
  return outlines;
}

int Outlines::count() const { return info_->font.numGlyphs; }

GlyphPixels Outlines::draw(int glyph, float size, int across, int down) const {
  const stbtt_fontinfo* font = &info_->font;
  const float scale = stbtt_ScaleForPixelHeight(font, size);
  const float wide = scale * static_cast<float>(across), high = scale * static_cast<float>(down);
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  stbtt_GetGlyphBitmapBox(font, glyph, wide, high, &x0, &y0, &x1, &y1);
  GlyphPixels pixels;
  if (x0 >= x1 || y0 >= y1) return pixels;
  pixels.width = x1 - x0 + across - 1;
  pixels.height = y1 - y0 + down - 1;
  pixels.coverage.resize(static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height));
  float shift_x = 0, shift_y = 0;
  stbtt_MakeGlyphBitmapSubpixelPrefilter(font, pixels.coverage.data(), pixels.width, pixels.height,
                                         pixels.width, wide, high, 0, 0, across, down, &shift_x, &shift_y,
                                         glyph);
  const auto place = [](int sample, int samples) {
    return static_cast<float>(sample) / static_cast<float>(samples);
  };
  pixels.x0 = place(x0, across) + shift_x;
  pixels.x1 = place(x0 + pixels.width, across) + shift_x;
  pixels.y0 = place(y0, down) + shift_y;
  pixels.y1 = place(y0 + pixels.height, down) + shift_y;
  return pixels;
}

}  // namespace attnscope
