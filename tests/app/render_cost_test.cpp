// What a person who waits before a terminal is told of a picture that takes long.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/session/session.hpp"
#include "app/window/app_without_window.hpp"
#include "app/window/render.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::render_cost_test {

using test::TemporaryDirectory;

TEST_CASE("a picture that takes seconds says what is computed, a quick one nothing", "[render]") {
  const TemporaryDirectory directory;
  AppWithoutWindow drawn({320, 200, 1, BackendPreference::Cpu});
  const auto note_of = [&](int words) {
    std::string text;
    for (int i = 0; i < words; ++i) text += "a ";
    const Session session = open_session(directory.write("text.txt", text), {});
    return cost_note(session.document, drawn.app.backends(), *drawn.engine.backend());
  };
  CHECK(note_of(60'000) == "computing 60,000 × 60,000 scores in 8 heads …");
  CHECK(note_of(6).empty());
  CHECK(note_of(2'000).empty());
}

}  // namespace attnscope::render_cost_test
