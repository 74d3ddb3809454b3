// tests/fuzz: sessions, whole and damaged. What is opened of one must be a Document that can be computed, and
// must come back from what is written of it.
#include "core/document/document.hpp"
#include "core/files/document/open.hpp"
#include "core/files/document/session_file.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  fuzz::expect_result_or_sentence([&] {
    const OpenedFile file = session_from_json(json, "fuzz");
    if (file.view.empty()) return;  // a plain document
    check(file.document);
    if (file.held) check(*file.held);
    const std::string written = session_to_json(file.document, file.view, file.held ? &*file.held : nullptr);
    const OpenedFile again = session_from_json(written, "written");
    if (!again.lost.empty()) fuzz::finding("a session that was written and is damaged", again.lost.front());
    if (session_to_json(again.document, again.view, again.held ? &*again.held : nullptr) != written)
      fuzz::finding("a session that changes when it is written", written);
  });
  return 0;
}
