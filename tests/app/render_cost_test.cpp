// Messages on the terminal for a picture that takes long.
#include <chrono>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/session/session.hpp"
#include "app/state/window_state.hpp"
#include "app/window/app_without_window.hpp"
#include "app/window/render.hpp"
#include "core/engine/model/model_reading.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::render_cost_test {

using test::TemporaryDirectory;

namespace {

std::filesystem::path text_of(const TemporaryDirectory& directory, int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += "a ";
  return directory.write("text.txt", text);
}

/// A model whose later numbers take longer than some frames.
Session slow_model(const TemporaryDirectory& directory) {
  write_letters_gpt(directory / "m", 12, 256);
  const std::string path = (directory / "m").native();
  return open_session(directory.write("m.json", R"({"attnscope": 1, "model": {"path": ")" + path +
                                                    R"(", "text": "ab c de a b c ab de a c b d e a c"}})"),
                      {});
}

bool has_all_effects(const ModelReading& model) {
  return model.effects && model.effects->known == std::ssize(model.effects->heads);
}

}  // namespace

TEST_CASE("a picture that takes seconds says what is computed, a quick one nothing", "[render]") {
  const TemporaryDirectory directory;
  AppWithoutWindow drawn({320, 200, 1, BackendPreference::Cpu});
  const auto note_of = [&](int words, std::int64_t step) {
    const Session session = open_session(text_of(directory, words), {});
    return cost_note(session.document, drawn.app.backends(), *drawn.engine.backend(), step);
  };
  CHECK(note_of(60'000, 1) == "computing 60,000 × 60,000 scores in 8 heads …");
  CHECK(note_of(60'001, 4) == "computing 15,001 × 60,001 scores in 8 heads …");
  CHECK(note_of(60'000, 16).empty());
  CHECK(note_of(6, 1).empty());
  CHECK(note_of(2'000, 1).empty());
}

TEST_CASE("a picture of a long text has so many queries that they take seconds", "[render]") {
  const TemporaryDirectory directory;
  AppWithoutWindow drawn({640, 400, 1, BackendPreference::Cpu});
  const auto step_of = [&](int words) {
    const Session session = open_session(text_of(directory, words), {});
    return step_of_queries(session.document, drawn.app.backends(), *drawn.engine.backend());
  };
  CHECK(step_of(6) == 1);
  CHECK(step_of(32'768) == 1);
  CHECK(step_of(60'000) == 4);
  CHECK(step_of(199'000) == 64);
  drawn.engine.refine_to(4);
  const std::filesystem::path text = text_of(directory, 2'100);
  drawn.app.files().opening.open(open_session(text, {}), text, {}, {});
  drawn.settle();
  REQUIRE(drawn.app.shown());
  REQUIRE(drawn.app.shown()->layer().is_long());
  CHECK(drawn.app.shown()->layer().surveys[0]->known.rows.step == 4);
  CHECK_FALSE(drawn.engine.busy());
}

TEST_CASE("a picture waits for a model's later numbers as long as it was told", "[render]") {
  const TemporaryDirectory directory;
  AppWithoutWindow drawn({320, 200, 1, BackendPreference::Cpu});
  drawn.limit_model(std::chrono::seconds(0));
  drawn.app.files().opening.open(slow_model(directory), directory / "m.json", {}, {});
  drawn.settle();
  const ModelReadingPtr model = drawn.app.model();
  REQUIRE(model);
  REQUIRE(model->run);
  CHECK(drawn.app.view().mode == Mode::Model);
  CHECK(model->is_stopped);
  CHECK_FALSE(has_all_effects(*model));
  CHECK(drawn.app.settled());
}

TEST_CASE("a picture of one layer of a model does not wait for the effects of all heads", "[render]") {
  const TemporaryDirectory directory;
  AppWithoutWindow drawn({320, 200, 1, BackendPreference::Cpu});
  drawn.app.files().opening.open(slow_model(directory), directory / "m.json", {}, {});
  drawn.arrive();
  REQUIRE(drawn.app.document().within.read());
  REQUIRE(drawn.app.view().mode == Mode::Model);
  REQUIRE(drawn.app.shown());
  CHECK(drawn.app.shown()->document.within.read());
  drawn.app.view().mode = Mode::Explore;
  drawn.settle();
  const ModelReadingPtr model = drawn.app.model();
  REQUIRE(model);
  CHECK(model->is_complete);
  CHECK_FALSE(has_all_effects(*model));
}

}  // namespace attnscope::render_cost_test
