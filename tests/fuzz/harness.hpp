// tests/fuzz: what the harnesses share: a file that lives in memory, and what every reader owes whatever it
// is given: it takes the bytes or throws an Error that is one sentence. Anything else ends the program, and
// libFuzzer keeps the bytes that did it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::fuzz {

[[noreturn]] inline void finding(std::string_view what, std::string_view detail) {
  std::fprintf(stderr, "finding: %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

/// Readers want a path; a file of memory has one below /proc and costs no directory.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {}

  std::filesystem::path hold(std::span<const std::uint8_t> bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, bytes.data(), bytes.size(), 0) != size) {
      finding("the harness", "cannot write its file");
    }
    return "/proc/self/fd/" + std::to_string(file_);
  }

 private:
  int file_;
};

/// Runs a reader. Any exception but an Error is a finding, so is an Error whose text is not one line of UTF-8
/// that ends like a sentence.
template <class Read>
void expect_result_or_sentence(Read read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    if (!text.ends_with('.') || text.find('\n') != text.npos || !is_valid_utf8(text)) {
      finding("an error that is not one sentence", text);
    }
  }
}

}  // namespace attnscope::fuzz

/// Each harness defines this one function.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
