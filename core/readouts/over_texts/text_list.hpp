// core/readouts/over_texts: a file with a text in each line, and their tokens.
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
  std::vector<std::int64_t> left_out;  // lines that are empty or hold only white space
};

/// UTF-8 with lines ended by LF or CR LF; a byte-order mark is not part of the first line. Throws Error
/// naming the file, and the line that is the reason: invalid UTF-8, a zero byte, or more than max_text_bytes;
/// also if there is no text at all.
TextList read_text_list(const std::filesystem::path&);

/// "Line 3 of "a.txt": …".
Error line_error(const TextList&, const ListedText&, const std::string& sentence);

/// The tokens of every text. Throws line_error() with the sentence of tokens_of() for a text that is longer
/// than the model has positions, or that has no tokens.
std::vector<ModelTokens> tokens_of_list(const OpenedModel&, const TextList&,
                                        const std::optional<std::string>& decoder_text);

/// The progress over texts, readable from any thread.
struct TextsProgress {
  std::atomic<std::int64_t> done{0}, total{0};  // texts
};

/// A problem with one of the texts, as a sentence.
struct TextTrouble {
  std::int64_t line = 0;
  std::string sentence;
};

}  // namespace attnscope
