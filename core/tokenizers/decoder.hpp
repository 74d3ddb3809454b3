// core/tokenizers: from tokens back to a text: a list of steps, each a value.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tokenizers/text/regex.hpp"

namespace attnscope::tokenizers {

/// Tokens in the byte alphabet become their bytes; what is no UTF-8 becomes U+FFFD.
struct DecodeBytes {};
/// A space before every token but the first, unless it begins with the prefix, which goes.
struct DecodeWordPiece {
  std::string prefix = "##";
  bool cleanup = true;  // no space before punctuation
};
/// The replacement becomes a space; in the first token it goes.
struct DecodeMetaspace {
  std::string replacement = "\u2581";
  bool strip_first = true;
};
/// The suffix becomes a space; at the end it goes.
struct DecodeSuffix {
  std::string suffix = "</w>";
};
struct DecodeReplace {
  Pattern pattern;
  std::string by;
};
/// Runs of "<0xE2>" become their bytes, or U+FFFD each when they are no UTF-8.
struct DecodeFallback {};
/// All tokens become one.
struct DecodeFuse {};
/// Removes the character from the ends of each token, so many times at most.
struct DecodeStrip {
  std::string character = " ";
  std::size_t left = 0, right = 0;
};

using DecoderStep = std::variant<DecodeBytes, DecodeWordPiece, DecodeMetaspace, DecodeSuffix, DecodeReplace,
                                 DecodeFallback, DecodeFuse, DecodeStrip>;
using Decoder = std::vector<DecoderStep>;

/// Without steps the tokens are joined by spaces.
std::string decode_tokens(const Decoder& decoder, std::vector<std::string> tokens);
/// One token for the eye: spaces where they belong, bytes that are no character as \xNN, continuing prefixes
/// and suffixes kept.
std::string show_token(const Decoder& decoder, std::string_view token);

}  // namespace attnscope::tokenizers
