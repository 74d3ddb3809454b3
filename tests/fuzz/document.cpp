// tests/fuzz: documents as JSON. One that is taken must come back from what is written of it.
#include "core/document/document.hpp"

#include "core/files/document/open.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  fuzz::expect_result_or_sentence([&] {
    const Document document = document_from_json(json, "fuzz");
    fuzz::expect_result_or_sentence([&] { check(document); });
    const std::string written = to_json(document);
    // Compared as text: NaN in a matrix is unequal to itself.
    std::string again;
    try {
      again = to_json(document_from_json(written, "written"));
    } catch (const Error& error) {
      fuzz::finding("a document that was written and is refused", error.what());
    }
    if (again != written) fuzz::finding("a document that changes when it is written", written);
  });
  return 0;
}
