// The typefaces: with the packages app/setup.sh installs, every character of the interface and every script
// that a token may have has a glyph.
#include "app/kit/ui/fonts.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"

namespace attnscope::fonts_test {

namespace {

struct Fixture {
  OffscreenContext context;
  ImGuiHost host;
};

float advance(ImFont* font, float size, ImWchar character) {
  return font->GetFontBaked(size)->GetCharAdvance(character);
}

/// Whether the font chain begins with Inter, as it does where the packages are installed.
bool is_inter(const ImFont* font) {
  return std::string(font->Sources[0]->Name).find("Inter") != std::string::npos;
}

}  // namespace

TEST_CASE("signs and scripts have glyphs") {
  Fixture fixture;
  const Fonts& fonts = fixture.host.fonts();
  if (!is_inter(fonts.regular)) SKIP("fonts-inter is not installed");
  for (ImFont* font : {fonts.regular, fonts.medium, fonts.semibold}) {
    for (const ImWchar sign : {u'√', u'Σ', u'ᵀ', u'ₖ', u'ⱼ', u'·', u'−', u'×', u'÷', u'∞', u'≤', u'→', u'↓',
                               u'…', u'ℝ', u'▾', u'é', u'Ж', u'α'}) {
      INFO("U+" << std::hex << static_cast<unsigned>(sign));
      CHECK(font->IsGlyphInFont(sign));
    }
  }
}

TEST_CASE("Chinese, Japanese and Korean tokens have glyphs") {
  Fixture fixture;
  ImFont* font = fixture.host.fonts().regular;
  if (!font->IsGlyphInFont(u'注')) SKIP("no font for Chinese is installed (fonts-wqy-microhei)");
  for (const ImWchar character : {u'注', u'意', u'語', u'ア', u'の', u'한', u'국'}) {
    INFO("U+" << std::hex << static_cast<unsigned>(character));
    CHECK(font->IsGlyphInFont(character));
    CHECK(advance(font, 16, character) > 8.0f);
  }
}

TEST_CASE("digits are equally wide in every weight and at every size") {
  Fixture fixture;
  const Fonts& fonts = fixture.host.fonts();
  if (!is_inter(fonts.regular)) SKIP("fonts-inter is not installed");
  for (ImFont* font : {fonts.regular, fonts.medium, fonts.semibold}) {
    for (const float size : {13.0f, 16.0f, 32.0f}) {
      for (ImWchar digit = u'0'; digit <= u'9'; ++digit)
        CHECK(std::abs(advance(font, size, digit) - 8.2f * size / 16) < 0.01f);
      CHECK(advance(font, size, u'i') < advance(font, size, u'm') * 0.5f);  // letters keep their own widths
    }
  }
}

TEST_CASE("without system fonts everything still has a font") {
  OffscreenContext context;
  ImGuiHost host(nullptr, false);
  CHECK(host.fonts().regular);
  CHECK(host.fonts().medium == host.fonts().regular);
  CHECK(host.fonts().semibold == host.fonts().regular);
  CHECK(host.fonts().regular->IsGlyphInFont(u'0'));
}

}  // namespace attnscope::fonts_test
