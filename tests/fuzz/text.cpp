// tests/fuzz: plain text. The path of a memory file has no extension, which is how a text is told.
#include "core/files/document/open.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  fuzz::expect_result_or_sentence([&] { open_document(memory.hold({data, size})); });
  return 0;
}
