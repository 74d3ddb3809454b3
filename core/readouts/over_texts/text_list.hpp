// core/readouts/over_texts: a file with a text in each line, and what a model reads of each of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

struct ListedText {
  std::string text;
  std::int64_t line = 0;  // of the file, from 1
};

struct TextList {
  std::filesystem::path path;
  std::vector<ListedText> texts;       // at least one
  std::vector<std::int64_t> left_out;  // lines that hold white space or nothing
};

/// UTF-8, lines ended by LF or CR LF; a byte-order mark is no part of the first. Throws Error with a sentence
/// that names the file, and the line where one is at fault: bytes that are no UTF-8, a byte of 0, more than
/// max_text_bytes; or no text at all.
TextList read_text_list(const std::filesystem::path&);

/// "Line 3 of "a.txt": …".
Error line_error(const TextList&, const ListedText&, const std::string& sentence);

/// What a model reads of every text. Throws line_error() with the sentence of tokens_of(): a text that is
/// longer than the model has positions, or of which no token is left.
std::vector<ModelTokens> tokens_of_list(const OpenedModel&, const TextList&,
                                        const std::optional<std::string>& decoder_text);

/// How far it is, readable from any thread.
struct TextsProgress {
  std::atomic<std::int64_t> done{0}, total{0};  // texts
};

/// A sentence on one of the texts.
struct TextTrouble {
  std::int64_t line = 0;
  std::string sentence;
};

}  // namespace attnscope
