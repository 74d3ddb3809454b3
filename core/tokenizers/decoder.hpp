// core/tokenizers: decodes tokens to a text: a list of steps, each a value.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tokenizers/text/regex.hpp"

namespace attnscope::tokenizers {

/// Tokens in the byte alphabet become their bytes; invalid UTF-8 becomes U+FFFD.
struct DecodeBytes {};
/// Puts a space before every token but the first; a token with the prefix gets no space and loses the prefix.
struct DecodeWordPiece {
  std::string prefix = "##";
  bool cleanup = true;  // no space before punctuation
};
/// The replacement becomes a space; in the first token it is removed.
struct DecodeMetaspace {
  std::string replacement = "\u2581";
  bool strip_first = true;
};
/// The suffix becomes a space; at the end it is removed.
struct DecodeSuffix {
  std::string suffix = "</w>";
};
struct DecodeReplace {
  Pattern pattern;
  std::string by;
};
/// Runs of "<0xE2>" become their bytes; if these are invalid UTF-8, each becomes U+FFFD.
struct DecodeFallback {};
/// Joins all tokens into one.
struct DecodeFuse {};
/// Removes the character from both ends of each token, up to the given number of times.
struct DecodeStrip {
  std::string character = " ";
  std::size_t left = 0, right = 0;
};

using DecoderStep = std::variant<DecodeBytes, DecodeWordPiece, DecodeMetaspace, DecodeSuffix, DecodeReplace,
                                 DecodeFallback, DecodeFuse, DecodeStrip>;
using Decoder = std::vector<DecoderStep>;

/// Without steps, joins the tokens by spaces.
std::string decode_tokens(const Decoder& decoder, std::vector<std::string> tokens);
/// One token for display: real spaces, bytes that are not a character as \xNN; continuing prefixes and
/// suffixes are kept.
std::string show_token(const Decoder& decoder, std::string_view token);

}  // namespace attnscope::tokenizers
