// app/kit/draw: text as glyphs in visual order: letters joined, marks placed, from right to left if the
// script runs so. HarfBuzz shapes, FriBidi orders. No GL and no Dear ImGui in here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <hb.h>

#include "app/kit/draw/script_blocks.hpp"

namespace attnscope {

/// Characters around a word that isolate its direction from the text around it: the word's first letter
/// decides its direction.
inline constexpr std::string_view isolate_begin = "\u2068", isolate_end = "\u2069";

/// A font file, or one font of a collection. Immutable.
class Face {
 public:
  /// Null if the file is not a font file with outlines.
  static std::shared_ptr<const Face> load(const std::filesystem::path& path, int index);

  bool has(char32_t character) const;
  /// The whole file; lives as long as the Face.
  std::span<const unsigned char> bytes() const;
  int index() const { return index_; }
  /// A font unit as a share of the text's size, which is the height of a line, as everywhere.
  float unit() const { return unit_; }
  hb_font_t* font() const { return font_.get(); }

 private:
  struct Deleter {
    void operator()(hb_blob_t* blob) const { hb_blob_destroy(blob); }
    void operator()(hb_font_t* font) const { hb_font_destroy(font); }
  };
  Face() = default;

  std::unique_ptr<hb_blob_t, Deleter> blob_;
  std::unique_ptr<hb_font_t, Deleter> font_;
  int index_ = 0;
  float unit_ = 0;
};
using FacePtr = std::shared_ptr<const Face>;

/// Lengths are shares of the text's size; x runs to the right, y down.
struct ShapedGlyph {
  static constexpr int missing = -1;
  int face = missing;       // index for Shaper::face(); missing: no font has it, a box is drawn
  std::uint32_t index = 0;  // in the font file
  float x = 0, y = 0;       // of its origin, from the left end of the line's baseline
  std::uint32_t at = 0;     // the first byte of the text that it draws
};

struct ShapedText {
  std::vector<ShapedGlyph> glyphs;  // in visual order, from left to right
  float width = 0;
  bool right_to_left = false;  // the line as a whole: by its first letter outside isolates
};

/// Shapes lines of text with a chain of fonts: each character is drawn with the first one that has it. Keeps
/// what it has shaped. For one thread.
class Shaper {
 public:
  struct Source {
    FacePtr face;
    float digit_advance = 0;  // of 0 to 9, as a share of the size; 0: the font's own
  };
  /// Returns a font with the character, from outside the chain, or null. It is called once for each script.
  using Find = std::function<FacePtr(char32_t character)>;

  /// The chain has one font at least.
  explicit Shaper(std::vector<Source> chain, Find find = {});

  /// The reference holds until the next call.
  const ShapedText& shape(std::string_view text);
  const FacePtr& face(int at) const { return chain_[static_cast<std::size_t>(at)].face; }
  /// The width of the box that is drawn for a missing glyph: that of a digit.
  float box_advance() const { return box_advance_; }

 private:
  struct Character;
  struct Run;
  struct BufferDeleter {
    void operator()(hb_buffer_t* buffer) const { hb_buffer_destroy(buffer); }
  };

  std::vector<Character> characters_of(std::string_view text) const;
  void choose_faces(std::vector<Character>& characters, std::string_view text);
  int face_for(std::span<const Character> cluster, int before);
  bool look_further(char32_t character, hb_script_t script);
  struct Line;
  float append(const Run& run, const Line& line, float pen, ShapedText& out);
  float append_boxes(const Run& run, std::span<const Character> all, float pen, ShapedText& out) const;

  static constexpr std::size_t most_kept = 100'000;  // glyphs
  std::vector<Source> chain_;
  Find find_;
  float box_advance_ = 0.5f;
  std::unordered_set<std::uint32_t> asked_;  // scripts, and blocks of characters that belong to none
  std::unique_ptr<hb_buffer_t, BufferDeleter> buffer_;
  std::unordered_map<std::string, ShapedText> kept_;
  std::size_t kept_glyphs_ = 0;
};

}  // namespace attnscope
