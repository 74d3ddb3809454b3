// app/lessons/text: an error in a lesson's text that knows its line, and the position of a block's JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace attnscope::lessons {

class LineError : public Error {
 public:
  /// `line`: of the file, from 1; 0: not known.
  LineError(int line, const std::string& sentence) : Error(sentence), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

/// The JSON of a block as written in the file.
struct JsonPlace {
  int line = 0;      // of its first line, from 1; 0: there is no block
  std::string text;  // as written

  /// The line of the key that an error names, like "mask.window.left", as far as it is found; else the first
  /// line.
  int line_of(const Error&) const;
  int line_of_key(std::string_view key) const;
  /// Whether the error names a key of this block.
  bool has_key_of(const Error&) const;
};

}  // namespace attnscope::lessons
