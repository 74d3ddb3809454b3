// Attention rollout against its definition in double: Ā = (mean over heads + I), rows divided by their sums,
// multiplied through the layers.
#include "core/readouts/rollout.hpp"

#include <cmath>
#include <filesystem>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/engine/model/model_engine.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"
#include "support/letters_gpt.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::rollout_test {
namespace {

using Rows = std::vector<std::vector<double>>;

/// By the definition, one number after the other.
Rows naive(const Model& model, const ModelRun& run, AttentionOf of, const Work& work) {
  const StackSpec& stack = model.spec.stack(of);
  const std::size_t n = run.input.ids.size();
  Rows all(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) all[i][i] = 1;
  for (std::size_t block = 0; block < stack.blocks.size(); ++block) {
    Rows mean(n, std::vector<double>(n, 0));
    for (int head = 0; head < stack.blocks[block].heads; ++head) {
      bool zeroed = change_of(run.changes, of, block).attention_off;
      for (const HeadChange& change : run.changes.heads)
        zeroed = zeroed || (change.block == static_cast<int>(block) && change.head == head &&
                            change.kind == HeadChange::Kind::Zero && change.rows.empty());
      if (zeroed) continue;
      const Tensor weights = head_weights(model, run, of, block, head, work);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          mean[i][j] += static_cast<double>(weights.data()[i * n + j]) / stack.blocks[block].heads;
    }
    Rows next(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 1;
      for (std::size_t j = 0; j < n; ++j) sum += mean[i][j];
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) next[i][j] += (mean[i][k] + (i == k ? 1 : 0)) / sum * all[k][j];
    }
    all = next;
  }
  return all;
}

void check_same(const TensorOf<double>& found, const Rows& expected) {
  REQUIRE(found.shape() == Shape{std::ssize(expected), std::ssize(expected)});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const double value = found.data()[i * expected.size() + j];
      CHECK(std::abs(value - expected[i][j]) < 1e-12);
      sum += value;
    }
    CHECK(std::abs(sum - 1) < 1e-12);
  }
}

}  // namespace

TEST_CASE("attention rollout is what its definition says", "[rollout]") {
  const test::TemporaryDirectory directory;
  write_letters_gpt(directory / "gpt");
  const OpenedModelPtr opened = open_whole_model(directory / "gpt");
  const Model& model = *opened->model;
  ThreadPool pool(2);
  const Work work{pool, {}};
  ModelInput input;
  input.ids = {5, 6, 2, 6, 3, 4, 0, 1, 2};
  ModelChanges zeroed, in_a_row, mean, off;
  zeroed.heads.push_back({.of = AttentionOf::Decoder, .block = 1, .head = 2});
  // For a change that is no pattern of weights the head's own weights are used.
  in_a_row.heads.push_back({.of = AttentionOf::Decoder, .block = 1, .head = 2, .rows = {4}});
  mean.heads.push_back({.of = AttentionOf::Decoder, .block = 0, .head = 1, .kind = HeadChange::Kind::Mean});
  off.blocks.push_back({.of = AttentionOf::Decoder, .block = 0, .attention_off = true});
  for (const ModelChanges& changes : {ModelChanges{}, zeroed, in_a_row, mean, off}) {
    RunRequest request;
    request.changes = changes;
    const ModelRun run = run_model(model, input, request, work);
    TensorOf<double> found;
    for (std::size_t block = 0; block < 3; ++block)
      found = rollout_behind(found, rollout_step(model, run, AttentionOf::Decoder, block, work), work);
    check_same(found, naive(model, run, AttentionOf::Decoder, work));
  }
}

TEST_CASE("the engine makes the rollout where it is wanted", "[rollout]") {
  const test::TemporaryDirectory directory;
  write_small_bert(directory / "bert");
  ModelEngine engine({}, 2);
  ModelContext within;
  within.model = open_whole_model(directory / "bert");
  within.of = AttentionOf::Encoder;
  within.input.text = "the cat sat on the mat";
  engine.submit(within);
  engine.wait_idle();
  REQUIRE(engine.latest_good());
  CHECK(engine.latest_good()->rollout == nullptr);
  engine.submit(within, {.rollout = true});
  engine.wait_idle();
  const ModelReadingPtr reading = engine.latest_good();
  REQUIRE(reading->rollout);
  ThreadPool pool(1);
  check_same(*reading->rollout,
             naive(*within.model->model, *reading->run, AttentionOf::Encoder, Work{pool, {}}));
}

}  // namespace attnscope::rollout_test
