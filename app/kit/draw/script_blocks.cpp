#include "app/kit/draw/script_blocks.hpp"

#include <algorithm>
#include <iterator>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

struct Range {
  char32_t first, last;
};

/// Blocks whose characters need nothing but their own glyph, side by side.
constexpr Range plain_blocks[] = {
    {0x0000, 0x02FF},    // Latin with ready-made accents, phonetic letters
    {0x0370, 0x0482},    // Greek, Cyrillic
    {0x048A, 0x0588},    // Cyrillic, Armenian
    {0x10A0, 0x10FF},    // Georgian
    {0x1D00, 0x1DBF},    // phonetic letters
    {0x1E00, 0x200A},    // more Latin and Greek, spaces
    {0x2010, 0x2027},    // dashes, quotes, ellipsis
    {0x2030, 0x205E},    // punctuation
    {0x2070, 0x20CF},    // superscripts, subscripts, currencies
    {0x2100, 0x2CEE},    // letter-like signs, arrows, mathematics, boxes, symbols
    {0x2E00, 0x3029},    // punctuation, radicals, ideographic signs
    {0x3030, 0x3098},    // Hiragana
    {0x309B, 0xA4CF},    // Katakana, Hangul letters, Han, Yi
    {0xA720, 0xA7FF},    // more Latin
    {0xAC00, 0xD7A3},    // Hangul syllables
    {0xF900, 0xFB06},    // compatibility Han, Latin ligatures
    {0xFE10, 0xFE1F},    // vertical forms
    {0xFE30, 0xFE6F},    // compatibility and small forms
    {0xFF01, 0xFF9F},    // full and half width
    {0xFFFC, 0xFFFD},    // replacement
    {0x1D400, 0x1D7FF},  // mathematical letters
    {0x20000, 0x3FFFF},  // Han
};

/// Characters that run from right to left, and controls that change the order of others.
constexpr Range ordering_blocks[] = {
    {0x0590, 0x08FF}, {0x200E, 0x200F}, {0x202A, 0x202E},   {0x2066, 0x2069},
    {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFE}, {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF},
};

/// Default_Ignorable_Code_Point: nothing is drawn for them where a font has nothing.
constexpr Range ignorable_blocks[] = {
    {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

template <std::size_t n>
bool is_in(const Range (&blocks)[n], char32_t c) {
  const auto block = std::ranges::partition_point(blocks, [c](const Range& b) { return b.last < c; });
  return block != std::end(blocks) && c >= block->first;
}

/// Whether a character of the text passes the test. Only bytes that can begin one that does are decoded.
template <class Test>
bool any_character(std::string_view text, Test test) {
  constexpr unsigned char first_lead = 0xCC;  // of U+0300
  if (std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= first_lead; }))
    return false;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Decoded c = decode_at(text, at);
    if (test(c.value)) return true;
    at += c.length;
  }
  return false;
}

}  // namespace

bool needs_shaping(std::string_view text) {
  return any_character(text, [](char32_t c) { return !is_in(plain_blocks, c); });
}

bool changes_order(std::string_view text) {
  return any_character(text, [](char32_t c) { return is_in(ordering_blocks, c); });
}

bool is_ignorable(char32_t character) { return is_in(ignorable_blocks, character); }

}  // namespace attnscope
