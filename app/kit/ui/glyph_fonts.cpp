#include "app/kit/ui/glyph_fonts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui_internal.h>

#include "app/kit/draw/outlines.hpp"

namespace attnscope {
namespace {

/// The character of glyph 0. Dear ImGui treats some characters below it specially.
constexpr ImWchar first_glyph = 0x100;
constexpr float loaded_size = 16;

/// The Face of a font of glyphs: Dear ImGui keeps a copy of the address of GlyphFonts' shared pointer to it.
const FacePtr& face_of(const ImFontConfig& source) {
  return **static_cast<const FacePtr* const*>(source.FontData);
}

bool open_source(ImFontAtlas*, ImFontConfig* source) {
  source->FontLoaderData = Outlines::of(face_of(*source)).release();
  return source->FontLoaderData != nullptr;
}

void close_source(ImFontAtlas*, ImFontConfig* source) {
  delete static_cast<Outlines*>(std::exchange(source->FontLoaderData, nullptr));
}

bool contains_glyph(ImFontAtlas*, ImFontConfig*, ImWchar) { return false; }  // Dear ImGui asks for its own

/// Puts the pixels into the atlas; without room there the glyph stays invisible.
void pack(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, ImFontGlyph* out, int width,
          int height, const std::vector<unsigned char>& coverage) {
  const ImFontAtlasRectId place = ImFontAtlasPackAddRect(atlas, width, height);
  if (place == ImFontAtlasRectId_Invalid) return;
  out->Visible = true;
  out->PackId = place;
  ImFontAtlasBakedSetFontGlyphBitmap(atlas, baked, source, out, ImFontAtlasPackGetRect(atlas, place),
                                     coverage.data(), ImTextureFormat_Alpha8, width);
}

/// Places the glyph relative to the baseline, at y = 0. Its advance is 0: the shaper places the next one.
bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void*, ImWchar character,
                ImFontGlyph* out, float* advance) {
  const auto& outlines = *static_cast<const Outlines*>(source->FontLoaderData);
  const int glyph = static_cast<int>(character) - static_cast<int>(first_glyph);
  if (glyph < 0 || glyph >= outlines.count()) return false;
  if (advance) {
    *advance = 0;
    return true;
  }
  int across = 1, down = 1;
  ImFontAtlasBuildGetOversampleFactors(source, baked, &across, &down);
  const GlyphPixels pixels = outlines.draw(glyph, baked->Size, across, down);
  out->Codepoint = character & 0x3FF'FFFF;
  out->X0 = pixels.x0, out->Y0 = pixels.y0, out->X1 = pixels.x1, out->Y1 = pixels.y1;
  if (!pixels.coverage.empty()) pack(atlas, source, baked, out, pixels.width, pixels.height, pixels.coverage);
  return true;
}

bool is_missing_sign(ImFontAtlas*, ImFontConfig*, ImWchar character) { return character == missing_sign; }

/// An upright rectangle on the baseline.
bool load_box(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void*, ImWchar character,
              ImFontGlyph* out, float* advance) {
  if (character != missing_sign) return false;
  const float digit = baked->GetCharAdvance('0');
  if (advance) {
    *advance = digit;
    return true;
  }
  const int line = std::max(1, static_cast<int>(std::lround(baked->Size / 16)));
  const int width = std::max(3 * line, static_cast<int>(digit) - 2 * line);
  const int height = std::max(4 * line, static_cast<int>(std::lround(baked->Size * 0.62f)));
  out->Codepoint = missing_sign;
  out->AdvanceX = digit;
  std::vector<unsigned char> coverage;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool edge = x < line || y < line || x >= width - line || y >= height - line;
      coverage.push_back(edge ? 255 : 0);
    }
  }
  out->X0 = std::round((digit - static_cast<float>(width)) / 2);
  out->X1 = out->X0 + static_cast<float>(width);
  out->Y1 = std::round(baked->Ascent);
  out->Y0 = out->Y1 - static_cast<float>(height);
  pack(atlas, source, baked, out, width, height, coverage);
  return true;
}

ImFontLoader make_loader(const char* name, decltype(ImFontLoader::FontSrcContainsGlyph) contains,
                         decltype(ImFontLoader::FontBakedLoadGlyph) load) {
  ImFontLoader loader;
  loader.Name = name;
  loader.FontSrcContainsGlyph = contains;
  loader.FontBakedLoadGlyph = load;
  return loader;
}

const ImFontLoader& glyph_loader() {
  static const ImFontLoader loader = [] {
    ImFontLoader l = make_loader("glyphs", contains_glyph, load_glyph);
    l.FontSrcInit = open_source;
    l.FontSrcDestroy = close_source;
    return l;
  }();
  return loader;
}

const ImFontLoader& box_loader() {
  static const ImFontLoader loader = make_loader("box", is_missing_sign, load_box);
  return loader;
}

}  // namespace

GlyphFonts::GlyphFonts(std::array<Chain, weights> chains) {
  for (Chain& chain : chains) shapers_.emplace_back(std::move(chain.faces), std::move(chain.find));
}

const ShapedText* GlyphFonts::shape(std::size_t weight, std::string_view text) {
  return needs_shaping(text) ? &shapers_[weight].shape(text) : nullptr;
}

/// Null if the file has no outlines.
ImFont* GlyphFonts::font_of(const FacePtr& face) {
  const auto [known, is_new] = fonts_.try_emplace(face, nullptr);
  if (!is_new) return known->second;
  ImFontConfig config;
  const FacePtr* address = &known->first;
  config.FontData = static_cast<void*>(&address);
  config.FontDataSize = sizeof address;
  config.FontDataOwnedByAtlas = false;  // copied
  config.FontLoader = &glyph_loader();
  config.SizePixels = loaded_size;
  config.Flags = ImFontFlags_NoLoadError;
  return known->second = ImGui::GetIO().Fonts->AddFont(&config);
}

void GlyphFonts::draw(ImDrawList& list, ImFont& plain, std::size_t weight, float size, ImVec2 at,
                      ImU32 colour, const ShapedText& text) {
  if ((colour & IM_COL32_A_MASK) == 0) return;
  struct Found {
    const ImFontBaked* baked;
    const ImFontGlyph* glyph;
    bool is_box;
  };
  const auto find = [&](const ShapedGlyph& glyph) -> Found {
    ImFont* font = glyph.face == ShapedGlyph::missing ? nullptr : font_of(shapers_[weight].face(glyph.face));
    ImFontBaked* baked = (font ? *font : plain).GetFontBaked(size);
    return {baked, baked->FindGlyph(font ? static_cast<ImWchar>(first_glyph + glyph.index) : missing_sign),
            font == nullptr};
  };
  // Find all glyphs before the first is drawn: a new one can move the others in the texture.
  for (const ShapedGlyph& glyph : text.glyphs) find(glyph);
  const float top = std::trunc(at.y), left = std::trunc(at.x);
  const ImFontBaked* line = plain.GetFontBaked(size);
  const float base = top + std::round(line->Ascent) * size / line->Size;
  for (const ShapedGlyph& place : text.glyphs) {
    const auto [baked, glyph, is_box] = find(place);
    if (!glyph->Visible) continue;
    const float scale = size / baked->Size, x = left + place.x * size;
    const float y = is_box ? top : base + place.y * size;
    list.PrimReserve(6, 4);
    list.PrimRectUV({x + glyph->X0 * scale, y + glyph->Y0 * scale},
                    {x + glyph->X1 * scale, y + glyph->Y1 * scale}, {glyph->U0, glyph->V0},
                    {glyph->U1, glyph->V1}, colour);
  }
}

void add_missing_box(ImFont& font) {
  ImFontConfig config;
  config.FontLoader = &box_loader();
  config.SizePixels = font.Sources[0]->SizePixels;
  config.MergeMode = true;
  config.DstFont = &font;
  ImGui::GetIO().Fonts->AddFont(&config);
  font.FallbackChar = missing_sign;
}

}  // namespace attnscope
