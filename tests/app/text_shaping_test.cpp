// Text as glyphs: joined, in visual order, with boxes for characters without a font.
#include "app/kit/draw/text_shaping.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/own_words.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::text_shaping_test {

namespace {

constexpr const char* dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

/// Latin, Hebrew and Arabic in one font; Devanagari is not in it.
Shaper shaper(Shaper::Find find = {}, float digit_advance = 0) {
  FacePtr face = Face::load(dejavu, 0);
  if (!face) SKIP("fonts-dejavu-core is not installed");
  return Shaper({{face, digit_advance}}, std::move(find));
}

/// The text's characters in visual order, from left to right.
std::string seen(Shaper& shaper, const std::string& text) {
  std::string out;
  for (const ShapedGlyph& glyph : shaper.shape(text).glyphs) {
    const std::size_t at = glyph.at;
    out += text.substr(at, decode_at(text, at).length);
  }
  return out;
}

std::uint32_t only_glyph(Shaper& shaper, const std::string& text) {
  const ShapedText& shaped = shaper.shape(text);
  REQUIRE(shaped.glyphs.size() == 1);
  return shaped.glyphs.front().index;
}

}  // namespace

TEST_CASE("shaping: texts that need none are told from those that do") {
  for (const char* text :
       {"", "The cat sat?", "√dₖ Σ ᵀ ‖A‖ → ± …", "Größe, déjà, Жук, αβγ", "注意 ア の 한국", "▁the Ġcat"})
    CHECK_FALSE(needs_shaping(text));
  for (const char* text : {"سلام", "שלום", "e\u0301", "नमस्ते", "ไทย", "👍", "a\u200Eb", "\uE123"})
    CHECK(needs_shaping(text));
  for (const char* text : {"The cat", "नमस्ते", "e\u0301"}) CHECK_FALSE(changes_order(text));
  for (const char* text : {"the كتاب", "שלום", "a\u202Eb"}) CHECK(changes_order(text));
}

TEST_CASE("shaping: Arabic letters join and run from right to left") {
  Shaper shaper = text_shaping_test::shaper();
  const ShapedText word = shaper.shape("محمد");
  REQUIRE(word.glyphs.size() == 4);
  CHECK(word.right_to_left);
  const std::vector<std::string> letters{"د", "م", "ح", "م"};  // in visual order, from left to right
  for (std::size_t i = 0; i < letters.size(); ++i) {
    INFO(letters[i]);
    CHECK(word.glyphs[i].at == 2 * (3 - i));
    CHECK(word.glyphs[i].index != only_glyph(shaper, letters[i]));  // its isolated form is another one
    if (i > 0) CHECK(word.glyphs[i].x > word.glyphs[i - 1].x);
  }
  CHECK(word.glyphs[1].index != word.glyphs[3].index);  // the same letter in the middle and at the beginning
  CHECK(shaper.shape("لا").glyphs.size() == 1);         // two letters, one ligature
  CHECK(shaper.shape("م\u200Cح").glyphs.front().index == only_glyph(shaper, "ح"));  // a zero-width non-joiner
}

TEST_CASE("shaping: mixed directions, numbers and brackets stand where they are read") {
  Shaper shaper = text_shaping_test::shaper();
  CHECK(seen(shaper, "The בית is here") == "The תיב is here");
  CHECK_FALSE(shaper.shape("The בית is here").right_to_left);
  CHECK(seen(shaper, "בית 2024 גג") == "גג 2024 תיב");
  CHECK(shaper.shape("בית 2024 גג").right_to_left);
  // Brackets are mirrored with their contents: the glyph of ( on the left, although it was typed last.
  const ShapedText bracketed = shaper.shape("ב(ג)");
  CHECK(bracketed.glyphs.front().index == only_glyph(shaper, "("));
  CHECK(bracketed.glyphs.front().at == 5);
}

TEST_CASE("shaping: a person's words keep their order to themselves") {
  Shaper shaper = text_shaping_test::shaper();
  const std::string text = own("בית") + " → " + own("גג");
  const std::string kept = isolated(text);
  std::string letters = seen(shaper, kept);
  for (const std::string_view sign : {isolate_begin, isolate_end})
    for (std::size_t at = letters.find(sign); at != std::string::npos; at = letters.find(sign))
      letters.erase(at, sign.size());
  CHECK(letters == "תיב → גג");
  CHECK(seen(shaper, plain(text)) == "גג → תיב");  // without isolation the arrow would point the wrong way
  CHECK(isolated(own("cat") + " → " + own("mat")) == "cat → mat");
  const float width = shaper.shape("בית → גג").width;
  CHECK(std::abs(shaper.shape(kept).width - width) < 1e-5f);  // isolating marks are invisible
}

TEST_CASE("shaping: marks stand on their letters and take no room") {
  Shaper shaper = text_shaping_test::shaper();
  const float bare = shaper.shape("שלום").width;
  const ShapedText pointed = shaper.shape("שָׁלוֹם");
  CHECK(std::abs(pointed.width - bare) < 0.02f);
  CHECK(std::ranges::all_of(pointed.glyphs, [&](const ShapedGlyph& g) { return g.face == 0 && g.x < bare; }));
  CHECK(shaper.shape("e\u0301").width == shaper.shape("e").width);
}

TEST_CASE("shaping: what no font has is one box, and a question mark stays one") {
  Shaper shaper = text_shaping_test::shaper();
  const ShapedText private_use = shaper.shape("a\uF8F0?b");
  REQUIRE(private_use.glyphs.size() == 4);
  CHECK(private_use.glyphs[1].face == ShapedGlyph::missing);
  CHECK(std::abs(private_use.glyphs[2].x - private_use.glyphs[1].x - shaper.box_advance()) < 1e-6f);
  CHECK(private_use.glyphs[2].index == only_glyph(shaper, "?"));
  const ShapedText emoji = shaper.shape("👩‍💻");  // two people and a joiner: one character
  REQUIRE(emoji.glyphs.size() == 1);
  CHECK(emoji.glyphs[0].face == ShapedGlyph::missing);
  CHECK(shaper.shape("\u200E\u2066\u2069").width == 0);  // nothing is drawn for marks of direction
  CHECK(shaper.shape("\xC3(").glyphs.size() == 2);       // bytes that are no text
}

TEST_CASE("shaping: other fonts are looked for once a script") {
  std::vector<char32_t> asked;
  Shaper shaper = text_shaping_test::shaper([&](char32_t character) {
    asked.push_back(character);
    return FacePtr();
  });
  for (const char* text : {"नमस्ते", "हिन्दी", "नया", "ไทย", "ไทย นม"}) shaper.shape(text);
  CHECK(asked.size() == 2);
  CHECK(std::ranges::all_of(shaper.shape("नमस्ते").glyphs,
                            [](const ShapedGlyph& g) { return g.face == ShapedGlyph::missing; }));
}

TEST_CASE("shaping: digits are as wide as where nothing is shaped") {
  Shaper shaper = text_shaping_test::shaper({}, 0.5f);
  const ShapedText text = shaper.shape("ב123ב");
  REQUIRE(text.glyphs.size() == 5);
  CHECK(std::abs(text.glyphs[4].x - text.glyphs[1].x - 1.5f) < 0.2f);
  CHECK(std::abs(text.glyphs[3].x - text.glyphs[2].x - 0.5f) < 0.05f);
  CHECK(shaper.box_advance() == 0.5f);
}

TEST_CASE("shaping: any bytes are shaped, and each glyph stands for a byte of them") {
  Shaper shaper = text_shaping_test::shaper();
  unsigned state = 7;
  const auto random = [&state] { return state = state * 1664525u + 1013904223u, state >> 16; };
  const std::vector<std::string> pieces{"a",    " ",      "م",      "ب",      "(",      ")",
                                        "5",    "\u0301", "\u2067", "\u2069", "\u202E", "न",
                                        "\xF0", "\x80",   "👍",      "\u200D", "注",     "\n"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
    const ShapedText& shaped = shaper.shape(text);
    CHECK(shaped.width >= 0);
    CHECK(std::ranges::all_of(shaped.glyphs, [&](const ShapedGlyph& g) { return g.at < text.size(); }));
  }
}

TEST_CASE("shaping: a long text of many runs is shaped in a moment, and texts are not kept without end") {
  Shaper shaper = text_shaping_test::shaper();
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "سلام cat ";
  const ShapedText long_text = shaper.shape(text);
  CHECK(long_text.glyphs.size() == 4000 * 8);  // of four Arabic letters two are one
  for (int i = 0; i < 10; ++i) shaper.shape(text + std::to_string(i));
  CHECK(shaper.shape("سلام").glyphs.size() == 3);
}

TEST_CASE("text: a reader's characters end where they are seen to end") {
  using Ends = std::vector<std::size_t>;
  CHECK(grapheme_ends("").empty());
  CHECK(grapheme_ends("ab") == Ends{1, 2});
  CHECK(grapheme_ends("e\u0301x") == Ends{3, 4});
  CHECK(grapheme_ends("👩‍💻!") == Ends{11, 12});
  CHECK(grapheme_ends("\xFFz") == Ends{1, 2});
}

}  // namespace attnscope::text_shaping_test
