// What a run promises to the bit: the same for any number of threads, from a snapshot, from a checkpoint,
// whether it is measured or not; and that a step allocates nothing and leaves the processor's settings alone.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/training/files/checkpoint.hpp"
#include "core/training/flush.hpp"
#include "core/training/trainer.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::training::bits_test {
namespace {

std::vector<float> weights_of(const Trainer& trainer) {
  return {trainer.weights().begin(), trainer.weights().end()};
}

Recipe recipe_of(std::string_view task, int steps) {
  Recipe recipe = find_task(task)->recipe;
  recipe.steps = steps;
  recipe.measured_sequences = 16;
  return recipe;
}

}  // namespace

TEST_CASE("one seed gives one bit pattern for any number of threads", "[training]") {
  for (const char* task : {"small-induction", "shapes", "small-reader"}) {
    INFO(task);
    const Recipe recipe = recipe_of(task, 6);
    std::vector<float> first;
    for (const int threads : {1, 2, 3, 5}) {
      Trainer trainer(recipe, threads);
      trainer.train(6);
      if (first.empty()) first = weights_of(trainer);
      CHECK(weights_of(trainer) == first);
    }
    Recipe other = recipe;
    other.seed = 1;
    Trainer trainer(other, 2);
    trainer.train(6);
    CHECK(weights_of(trainer) != first);
  }
}

TEST_CASE("a branch with the same settings is its parent to the bit, and one with another is not",
          "[training]") {
  Trainer parent(recipe_of("small-induction", 40), 2);
  parent.train(15);
  const Snapshot fork = parent.snapshot();
  parent.measure(true);
  parent.train(15);
  const Snapshot end = parent.snapshot();

  Trainer branch(parent.recipe(), 1);
  branch.restore(fork);
  CHECK(branch.step() == 15);
  branch.train(15);
  CHECK(branch.snapshot() == end);

  const auto changed = [&](auto change) {
    branch.restore(fork);
    Knobs knobs = branch.knobs();
    change(knobs);
    branch.set_knobs(knobs);
    branch.train(15);
    return branch.snapshot().weights != end.weights;
  };
  CHECK(changed([](Knobs& knobs) { knobs.operation.scaled = false; }));
  CHECK(changed([](Knobs& knobs) { knobs.operation.causal = false; }));
  CHECK(changed([](Knobs& knobs) { knobs.operation.muted = {0, 1, 0, 0}; }));
  CHECK(changed([](Knobs& knobs) { knobs.rate_factor = 0.5; }));
  CHECK_FALSE(changed([](Knobs&) {}));
}

TEST_CASE("a muted head learns nothing while it is muted", "[training]") {
  Recipe recipe = recipe_of("small-induction", 10);
  recipe.optimiser.decay = 0;
  Trainer trainer(recipe, 2);
  Knobs knobs = trainer.knobs();
  knobs.operation.muted = {1, 0, 0, 0};
  trainer.set_knobs(knobs);
  const std::vector<float> before = weights_of(trainer);
  trainer.train(10);
  const std::vector<float> after = weights_of(trainer);
  const MapAt& maps = trainer.network().layout.blocks[0].maps;
  const int d_k = recipe.network.d_k(), inside = recipe.network.inside();
  int changed = 0, kept = 0;
  for (int row = 0; row < maps.d_in; ++row)
    for (int column = 0; column < maps.d_out; ++column) {
      const auto at = static_cast<std::size_t>(maps.weight + row * maps.d_out + column);
      const bool is_muted = column % inside < d_k;
      if (is_muted) REQUIRE(after[at] == before[at]);
      (is_muted ? kept : changed) += after[at] != before[at] ? 1 : 0;
    }
  CHECK(kept == 0);
  CHECK(changed > maps.d_in * maps.d_out / 3);
}

TEST_CASE("a checkpoint brings a run back to the bit", "[training]") {
  const test::TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "training.safetensors";
  Trainer whole(recipe_of("look-up", 30), 2);
  whole.train(12);
  write_checkpoint(path, checkpoint_of(whole));
  whole.train(18);

  const Checkpoint checkpoint = read_checkpoint(path);
  CHECK(checkpoint.recipe == whole.recipe());
  CHECK(checkpoint.snapshot.step == 12);
  Trainer again(checkpoint.recipe, 1);
  again.restore(checkpoint.snapshot);
  again.train(18);
  CHECK(again.snapshot() == whole.snapshot());
}

TEST_CASE("measuring changes nothing that later steps depend on", "[training]") {
  Trainer measured(recipe_of("reverse", 20), 2), not_measured(recipe_of("reverse", 20), 2);
  for (int i = 0; i < 20; ++i) {
    measured.train(1);
    measured.measure(true);
    measured.probe_measured(0);
    not_measured.train(1);
  }
  CHECK(measured.snapshot() == not_measured.snapshot());
}

TEST_CASE("small numbers are numbers again behind the trainer's work", "[training]") {
  volatile float least = 1e-38f;
  {
    const FlushDenormals flush;
    volatile float flushed = least * 1e-3f;
    CHECK(flushed == 0);
  }
  volatile float kept = least * 1e-3f;
  CHECK(kept != 0);
  Trainer trainer(recipe_of("reverse", 3), 2);
  trainer.train(3);
  trainer.measure();
  volatile float still_kept = least * 1e-3f;
  CHECK(still_kept != 0);
}

}  // namespace attnscope::training::bits_test
