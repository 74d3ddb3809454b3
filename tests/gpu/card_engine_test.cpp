// Models behind the window on the emulated card: what is published is what the CPU publishes, who computed is
// told, and a card that fails hands over.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/opened_models.hpp"
#include "gpu/card_rows.hpp"
#include "gpu/emulated_device.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::card_engine_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using emulator::EmulatedDevice;
using emulator::Schedule;
using opened_models::within_of;

/// An engine that asks for operators of a card, and the card.
struct OnCard {
  std::shared_ptr<EmulatedDevice> device;
  int made = 0;
  std::int64_t weights = 0;
  ModelEngine engine{{}, 2};

  OnCard() {
    engine.compute_with([this](std::int64_t count, std::string& why_not) {
      ++made;
      weights = count;
      device = std::make_shared<EmulatedDevice>(Schedule::Lazy);
      return gpu::make_card_rows(device, why_not, {.product_from = 0});
    });
  }
  ModelReadingPtr read(const ModelContext& within, const ModelWants& wants = {}) {
    engine.submit(within, wants);
    engine.wait_idle();
    return engine.latest();
  }
};

double apart(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

}  // namespace

TEST_CASE("a model on a card says what it says on the CPU, and what ran it", "[card_engine]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory.path() / "gpt");
  OnCard on;
  ModelEngine cpu({}, 2);
  for (const std::string text : {"abcab", "abcabca", "abdab"}) {
    CAPTURE(text);
    const ModelContext within = within_of(model, text);
    const ModelReadingPtr there = on.read(within);
    cpu.submit(within);
    cpu.wait_idle();
    const ModelReadingPtr here = cpu.latest();
    REQUIRE(there->error.empty());
    CHECK(there->backend == "CUDA · Emulated card");
    CHECK(there->backend_note.empty());
    CHECK(here->backend.empty());
    CHECK(apart(there->prediction->before, here->prediction->before) < 1e-4);
    for (std::size_t i = 0; i < here->run->decoder.hidden.size(); ++i)
      CHECK(apart(there->run->decoder.hidden[i].values, here->run->decoder.hidden[i].values) < 1e-4);
    REQUIRE(there->is_complete);
    REQUIRE(there->effects->known == here->effects->known);
    for (std::size_t i = 0; i < here->effects->effects.size(); ++i)
      CHECK(std::abs(there->effects->effects[i].divergence - here->effects->effects[i].divergence) < 1e-4);
    for (std::size_t i = 0; i < here->lens->cells.size(); ++i)
      CHECK(there->lens->cells[i].top.at(0).id == here->lens->cells[i].top.at(0).id);
  }
  CHECK(on.made == 1);
  CHECK(on.weights == count_weights(*model->model));

  on.engine.compute_with({});
  const ModelReadingPtr back = on.read(within_of(model, "abdab"));
  CHECK(back->backend.empty());
  CHECK(back->prediction->before == cpu.latest()->prediction->before);
}

TEST_CASE("a card that is full hands a model over to the CPU, with the reason", "[card_engine]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory.path() / "gpt");
  OnCard on;
  // Random tokens would make room for the longest text there is.
  REQUIRE(on.read(within_of(model, "abcab"), {.scores = false})->backend_note.empty());
  on.device->facts_.memory = on.device->allocated();
  const ModelReadingPtr there = on.read(within_of(model, "abcabcabcabcabca"));
  REQUIRE(there->error.empty());
  CHECK(there->backend.empty());
  CHECK_THAT(there->backend_note,
             ContainsSubstring("no room") && ContainsSubstring("The CPU runs the model."));
  CHECK(there->is_complete);
  ModelEngine cpu({}, 2);
  cpu.submit(within_of(model, "abcabcabcabcabca"));
  cpu.wait_idle();
  CHECK(apart(there->prediction->before, cpu.latest()->prediction->before) < 1e-4);
  // It stays with the CPU.
  CHECK(on.read(within_of(model, "abca"))->backend.empty());
  CHECK(on.made == 1);
}

TEST_CASE("a text that cannot be run says so and leaves the model on the card", "[card_engine]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory.path() / "gpt");
  OnCard on;
  REQUIRE(on.read(within_of(model, "abcab"))->error.empty());
  const ModelReadingPtr refused = on.read(within_of(model, std::string(500, 'a')));
  CHECK_FALSE(refused->error.empty());
  CHECK(on.read(within_of(model, "abca"))->backend == "CUDA · Emulated card");
  CHECK(on.made == 1);
}

TEST_CASE("where there is no card for models, the CPU runs them and the reason is told", "[card_engine]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory.path() / "gpt");
  ModelEngine engine({}, 1);
  engine.compute_with([](std::int64_t, std::string& why_not) {
    why_not = "There are no products.";
    return std::shared_ptr<RowOperators>();
  });
  engine.submit(within_of(model, "abc"));
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest()->backend_note == "There are no products.");
}

TEST_CASE("where operators cannot be made, the CPU runs the model with the reason", "[card_engine]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory.path() / "gpt");
  ModelEngine engine({}, 1);
  engine.compute_with(
      [](std::int64_t, std::string&) -> std::shared_ptr<RowOperators> { throw Error("The card is gone."); });
  engine.submit(within_of(model, "abc"));
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest()->backend_note == "The card is gone. The CPU runs the model.");
}

}  // namespace attnscope::card_engine_test
