// core/tokenizers: normalizes a text before it is cut: a list of steps, each a value.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/tokenizers/precompiled.hpp"
#include "core/tokenizers/text/aligned_text.hpp"
#include "core/tokenizers/text/regex.hpp"
#include "core/tokenizers/text/unicode_forms.hpp"

namespace attnscope::tokenizers {

struct LowerCase {};
/// Puts text before a text that is not empty.
struct Prepend {
  std::string text;
};
struct Replace {
  Pattern pattern;
  std::string by;
};
/// Removes white space at the ends.
struct StripSpace {
  bool left = true, right = true;
};
/// Drops all marks (M).
struct StripAccents {};
/// Character classes are those of utf8proc's Unicode version; the reference's are older and differ in 560
/// rare characters, which the test of these stages lists.
struct BertNormalizer {
  bool clean_text = true;               // drops U+0000, U+FFFD, Cc, Cf, Co; white space becomes a space
  bool space_around_chinese = true;     // CJK ideographs
  std::optional<bool> strip_accents{};  // NFD without nonspacing marks; nothing: same as `lowercase`
  bool lowercase = true;
};

using NormalizerStep = std::variant<UnicodeForm, LowerCase, Prepend, Replace, StripSpace, StripAccents,
                                    BertNormalizer, PrecompiledMap>;
using Normalizer = std::vector<NormalizerStep>;

/// Throws Error if an expression exceeds its limits.
void normalize(const Normalizer& normalizer, AlignedText& text);

}  // namespace attnscope::tokenizers
