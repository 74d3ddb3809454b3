#include "app/kit/draw/text_shaping.hpp"

#include <algorithm>
#include <array>

#include <fribidi.h>

#include "app/kit/draw/script_blocks.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

bool is_real_script(hb_script_t script) {
  return script != HB_SCRIPT_COMMON && script != HB_SCRIPT_INHERITED && script != HB_SCRIPT_UNKNOWN;
}

/// Scripts that are drawn without kerning and ligatures, as is text that needs no shaping: a word looks the
/// same everywhere.
bool is_set_plainly(hb_script_t script) {
  return script == HB_SCRIPT_LATIN || script == HB_SCRIPT_GREEK || script == HB_SCRIPT_CYRILLIC ||
         !is_real_script(script);
}

const std::array<hb_feature_t, 4>& plain_features() {
  static const auto off = [](hb_tag_t tag) {
    return hb_feature_t{tag, 0, HB_FEATURE_GLOBAL_START, HB_FEATURE_GLOBAL_END};
  };
  static const std::array<hb_feature_t, 4> features{
      off(HB_TAG('k', 'e', 'r', 'n')), off(HB_TAG('l', 'i', 'g', 'a')), off(HB_TAG('c', 'l', 'i', 'g')),
      off(HB_TAG('c', 'a', 'l', 't'))};
  return features;
}

/// Ascent minus descent, from the table that the rasteriser reads as well; 0 if the font has no such table.
int line_units(hb_face_t* face) {
  hb_blob_t* table = hb_face_reference_table(face, HB_TAG('h', 'h', 'e', 'a'));
  unsigned length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(hb_blob_get_data(table, &length));
  const auto number = [bytes](int at) { return static_cast<std::int16_t>(bytes[at] << 8 | bytes[at + 1]); };
  const int units = length >= 8 ? number(4) - number(6) : 0;
  hb_blob_destroy(table);
  return units;
}

}  // namespace

FacePtr Face::load(const std::filesystem::path& path, int index) {
  std::shared_ptr<Face> face(new Face);
  face->blob_.reset(hb_blob_create_from_file_or_fail(path.c_str()));
  if (!face->blob_) return nullptr;
  hb_face_t* file = hb_face_create(face->blob_.get(), static_cast<unsigned>(index));
  const int units = line_units(file);
  if (hb_face_get_glyph_count(file) > 0 && units > 0) face->font_.reset(hb_font_create(file));
  hb_face_destroy(file);  // the font keeps it
  if (!face->font_) return nullptr;
  face->index_ = index;
  face->unit_ = 1 / static_cast<float>(units);
  return face;
}

bool Face::has(char32_t character) const {
  hb_codepoint_t glyph = 0;
  return hb_font_get_nominal_glyph(font(), character, &glyph) != 0 && glyph != 0;
}

std::span<const unsigned char> Face::bytes() const {
  unsigned length = 0;
  const char* data = hb_blob_get_data(blob_.get(), &length);
  return {reinterpret_cast<const unsigned char*>(data), length};
}

struct Shaper::Character {
  char32_t code = 0;
  std::uint32_t at = 0;  // byte
  FriBidiLevel level = 0;
  hb_script_t script = HB_SCRIPT_COMMON;
  int face = ShapedGlyph::missing;
  bool begins = true;  // a character that a reader sees

  bool is_seen() const { return !is_ignorable(code); }
};

/// Characters of one font, script and direction.
struct Shaper::Run {
  std::size_t begin = 0, end = 0;
  FriBidiLevel level = 0;
};

/// The whole text: the shape of a run depends on the text around it.
struct Shaper::Line {
  std::span<const Character> characters;
  std::span<const std::uint32_t> codes;  // of the same
};

Shaper::Shaper(std::vector<Source> chain, Find find)
    : chain_(std::move(chain)), find_(std::move(find)), buffer_(hb_buffer_create()) {
  const Source& first = chain_.front();
  hb_codepoint_t zero = 0;
  if (first.digit_advance > 0)
    box_advance_ = first.digit_advance;
  else if (hb_font_get_nominal_glyph(first.face->font(), U'0', &zero))
    box_advance_ =
        static_cast<float>(hb_font_get_glyph_h_advance(first.face->font(), zero)) * first.face->unit();
}

/// The text with the levels of the bidirectional algorithm and the script of every character; a character
/// without a script takes that of its neighbour.
std::vector<Shaper::Character> Shaper::characters_of(std::string_view text) const {
  std::vector<Character> all;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded c = decode_at(text, at);
    all.push_back({.code = c.value, .at = static_cast<std::uint32_t>(at)});
    at += c.length;
  }
  hb_unicode_funcs_t* unicode = hb_unicode_funcs_get_default();
  hb_script_t script = HB_SCRIPT_COMMON;
  for (Character& c : all) {
    const hb_script_t own = hb_unicode_script(unicode, c.code);
    if (is_real_script(own)) script = own;
    c.script = script;
  }
  script = HB_SCRIPT_COMMON;
  for (auto c = all.rbegin(); c != all.rend(); ++c) {
    if (is_real_script(c->script)) script = c->script;
    c->script = script;
  }
  std::size_t i = 0;
  std::uint32_t begin = 0;
  for (const std::size_t end : grapheme_ends(text)) {
    for (; i < all.size() && all[i].at < end; ++i) all[i].begins = all[i].at == begin;
    begin = static_cast<std::uint32_t>(end);
  }
  return all;
}

/// Looks for another font with the character, once for each script or block without a script, and appends it
/// to the chain. False if there is none.
bool Shaper::look_further(char32_t character, hb_script_t script) {
  const std::uint32_t block = 0x8000'0000u | (static_cast<std::uint32_t>(character) >> 7);
  const std::uint32_t question = is_real_script(script) ? static_cast<std::uint32_t>(script) : block;
  if (!find_ || !asked_.insert(question).second) return false;
  const FacePtr found = find_(character);
  if (!found || !found->has(character)) return false;
  chain_.push_back({found});
  return true;
}

int Shaper::face_for(std::span<const Character> cluster, int before) {
  const auto first = std::ranges::find_if(cluster, &Character::is_seen);
  if (first == cluster.end()) return before;
  const auto find = [&](auto&& has) {
    const auto face = std::ranges::find_if(chain_, has);
    return face == chain_.end() ? ShapedGlyph::missing : static_cast<int>(face - chain_.begin());
  };
  const auto has_all = [&](const Source& source) {
    return std::ranges::all_of(cluster,
                               [&](const Character& c) { return !c.is_seen() || source.face->has(c.code); });
  };
  if (const int face = find(has_all); face != ShapedGlyph::missing) return face;
  const hb_script_t script = hb_unicode_script(hb_unicode_funcs_get_default(), first->code);
  if (look_further(first->code, script))
    if (const int face = find(has_all); face != ShapedGlyph::missing) return face;
  return find([&](const Source& source) { return source.face->has(first->code); });
}

void Shaper::choose_faces(std::vector<Character>& characters, std::string_view text) {
  int before = 0;
  std::size_t begin = 0;
  for (const std::size_t end : grapheme_ends(text)) {
    std::size_t behind = begin;
    while (behind < characters.size() && characters[behind].at < end) ++behind;
    const std::span<Character> cluster(&characters[begin], behind - begin);
    before = face_for(cluster, before);
    for (Character& c : cluster) c.face = before;
    begin = behind;
  }
}

float Shaper::append_boxes(const Run& run, std::span<const Character> all, float pen, ShapedText& out) const {
  std::vector<std::uint32_t> places;
  for (std::size_t i = run.begin; i < run.end; ++i)
    if (all[i].begins && all[i].is_seen()) places.push_back(all[i].at);
  if (run.level % 2 == 1) std::ranges::reverse(places);
  for (const std::uint32_t at : places) {
    out.glyphs.push_back({ShapedGlyph::missing, 0, pen, 0, at});
    pen += box_advance_;
  }
  return pen;
}

float Shaper::append(const Run& run, const Line& line, float pen, ShapedText& out) {
  const std::span<const Character> all = line.characters;
  const Character& first = all[run.begin];
  if (first.face == ShapedGlyph::missing) return append_boxes(run, all, pen, out);
  const Source& source = chain_[static_cast<std::size_t>(first.face)];
  hb_buffer_t* buffer = buffer_.get();
  hb_buffer_clear_contents(buffer);
  // The text around the run is passed as well: letters join across its ends.
  hb_buffer_add_utf32(buffer, line.codes.data(), static_cast<int>(line.codes.size()),
                      static_cast<unsigned>(run.begin), static_cast<int>(run.end - run.begin));
  hb_buffer_set_direction(buffer, run.level % 2 == 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
  hb_buffer_set_script(buffer, first.script);
  const bool plainly = is_set_plainly(first.script) || source.digit_advance > 0;
  hb_shape(source.face->font(), buffer, plainly ? plain_features().data() : nullptr,
           plainly ? static_cast<unsigned>(plain_features().size()) : 0);

  unsigned count = 0;
  const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(buffer, &count);
  const hb_glyph_position_t* places = hb_buffer_get_glyph_positions(buffer, &count);
  const float unit = source.face->unit();
  const auto length = [unit](hb_position_t units) { return static_cast<float>(units) * unit; };
  for (unsigned i = 0; i < count; ++i) {
    const Character& c = all[infos[i].cluster];
    if (infos[i].codepoint == 0) {
      out.glyphs.push_back({ShapedGlyph::missing, 0, pen, 0, c.at});
      pen += box_advance_;
      continue;
    }
    float advance = length(places[i].x_advance), shift = 0;
    if (source.digit_advance > 0 && c.code >= U'0' && c.code <= U'9') {
      shift = (source.digit_advance - advance) / 2;
      advance = source.digit_advance;
    }
    out.glyphs.push_back({first.face, infos[i].codepoint, pen + shift + length(places[i].x_offset),
                          -length(places[i].y_offset), c.at});
    pen += advance;
  }
  return pen;
}

const ShapedText& Shaper::shape(std::string_view text) {
  std::string key(text);
  if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
  ShapedText out;
  std::vector<Character> all = characters_of(text);
  choose_faces(all, text);

  const auto count = static_cast<FriBidiStrIndex>(all.size());
  std::vector<FriBidiChar> codes;
  for (const Character& c : all) codes.push_back(c.code);
  std::vector<FriBidiCharType> types(all.size());
  std::vector<FriBidiBracketType> brackets(all.size());
  std::vector<FriBidiLevel> levels(all.size());
  FriBidiParType direction = FRIBIDI_PAR_ON;  // the first letter decides
  fribidi_get_bidi_types(codes.data(), count, types.data());
  fribidi_get_bracket_types(codes.data(), count, types.data(), brackets.data());
  if (fribidi_get_par_embedding_levels_ex(types.data(), brackets.data(), count, &direction, levels.data()) ==
      0)
    std::ranges::fill(levels, FriBidiLevel{0});  // out of memory: the order as typed
  out.right_to_left = FRIBIDI_IS_RTL(direction);

  std::vector<Run> runs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].level = levels[i];
    const bool goes_on = i > 0 && all[i].level == all[i - 1].level && all[i].face == all[i - 1].face &&
                         all[i].script == all[i - 1].script;
    if (!goes_on) runs.push_back({i, i, all[i].level});
    runs.back().end = i + 1;
  }
  // Rule L2: from the highest level down to the lowest odd one, every stretch of that level or above turns.
  FriBidiLevel highest = 0;
  for (const Run& run : runs) highest = std::max(highest, run.level);
  for (FriBidiLevel level = highest; level > 0; --level) {
    for (auto run = runs.begin(); run != runs.end();) {
      const auto is_high = [level](const Run& r) { return r.level >= level; };
      const auto from = std::find_if(run, runs.end(), is_high);
      run = std::find_if_not(from, runs.end(), is_high);
      std::reverse(from, run);
    }
  }
  for (const Run& run : runs) out.width = append(run, {all, codes}, out.width, out);
  if (kept_glyphs_ > most_kept) {
    kept_.clear();
    kept_glyphs_ = 0;
  }
  kept_glyphs_ += out.glyphs.size() + 1;
  return kept_.emplace(std::move(key), std::move(out)).first->second;
}

}  // namespace attnscope
