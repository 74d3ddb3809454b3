// `attnscope watch` without a window: the weights of a stream as a file.
#include <atomic>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "core/files/document/open.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/program.hpp"
#include "support/watched_model.hpp"

namespace attnscope::cli_watch_test {

using namespace attnscope::test::commands;
using attnscope::test::ModelLayer;
using attnscope::test::WatchedModel;
using attnscope::test::WatchWriter;

namespace {

/// Two layers, one of them masked and both with fewer key heads.
WatchedModel small_model() {
  return {1, 2, 9, {ModelLayer{}, ModelLayer{.heads = 6, .kv_heads = 3, .mask = ModelLayer::Mask::Boolean}}};
}

void write_pass(WatchWriter& writer, const WatchedModel& model, const test::ModelPass& pass) {
  for (const test::WatchRecordBytes& record : model.records(pass)) writer.write(record);
}

void check_weights(const std::filesystem::path& path, const WatchedModel& model, std::int64_t tokens) {
  const SafetensorsFile file(path);
  CHECK(file.tensors().size() == 8);
  for (std::size_t l = 0; l < 2; ++l) {
    const TensorEntry* const entry = file.find(fmt::format("layers.{}.weights", l));
    REQUIRE(entry != nullptr);
    CHECK(entry->dtype == DType::F32);
    const Tensor weights = to_tensor<float>(*entry, path);
    const std::int64_t heads = model.layers()[l].heads;
    REQUIRE(weights.shape() == Shape{2, heads, tokens, tokens});
    double worst = 0;
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t i = 0; i < tokens; ++i) {
          const auto expected = model.weights(l, b, h, i, i + 1, tokens);
          for (std::int64_t j = 0; j < tokens; ++j)
            worst = std::max(
                worst, std::abs(double{weights.matrix(b, h)(i, j)} - expected[static_cast<std::size_t>(j)]));
        }
    CHECK(worst < 3e-6);
    for (const char* const part : {"q", "k", "v"})
      CHECK(file.find(fmt::format("layers.{}.{}", l, part)) != nullptr);
  }
  CHECK(file.metadata().at("dropped") == "0");
  CHECK(file.metadata().at("module") == "TestModel");
}

}  // namespace

TEST_CASE("the weights of what a process sent become a file", "[cli][watch]") {
  const TemporaryDirectory directory;
  const WatchedModel model = small_model();
  WatchWriter writer(directory / "a.attnwatch");
  write_pass(writer, model, {0, 0, 5});
  for (std::int64_t i = 5; i < 9; ++i) write_pass(writer, model, {i - 4, i, 1});
  const Outcome outcome = run(directory, "watch a.attnwatch -o out.safetensors");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  check_weights(directory / "out.safetensors", model, 9);
  CHECK(SafetensorsFile(directory / "out.safetensors").metadata().at("pass") == "4");
  CHECK(writer.get(watch_format::WindowPid) == 0);
  // What was written opens as a dump.
  CHECK(open_document(directory / "out.safetensors").input.is_given());
}

TEST_CASE("the program waits for a pass, and says when it looks", "[cli][watch]") {
  const TemporaryDirectory directory;
  const WatchedModel model = small_model();
  WatchWriter writer(directory / "a.attnwatch");
  std::atomic<bool> ended{false};
  bool looked = false;
  std::thread process([&] {
    while (!ended && !looked) {
      looked = writer.get(watch_format::WindowPid) != 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (looked) write_pass(writer, model, {0, 0, 9});
  });
  const Outcome outcome = run(directory, "watch a.attnwatch -o out.safetensors --wait 60");
  ended = true;
  process.join();
  CHECK(looked);
  CHECK(outcome.exit_code == 0);
  check_weights(directory / "out.safetensors", model, 9);
}

TEST_CASE("a stream without a whole pass ends in a sentence", "[cli][watch]") {
  const TemporaryDirectory directory;
  const WatchedModel model = small_model();
  WatchWriter writer(directory / "a.attnwatch");
  writer.write(model.call({0, 0, 5}, 0));
  check_refusal(directory, "watch a.attnwatch -o out.safetensors --wait 0.1", 1,
                "No whole pass came from process");
  writer.close();
  check_refusal(directory, "watch a.attnwatch -o out.safetensors --wait 60", 1, "has ended");
  CHECK_FALSE(std::filesystem::exists(directory / "out.safetensors"));
}

TEST_CASE("streams are named where other files are expected, and the other way round", "[cli][watch]") {
  const TemporaryDirectory directory;
  const WatchWriter writer(directory / "a.attnwatch");
  directory.write("text.txt", std::string(5000, 'a'));
  for (const char* const command : {"render a.attnwatch -o a.png", "describe a.attnwatch",
                                    "run a.attnwatch --text a -o a.safetensors", "model a.attnwatch"})
    check_refusal(directory, command, 1, "attnscope watch");
  check_refusal(directory, "watch text.txt -o a.safetensors", 1, "ATTNWTCH");
  check_refusal(directory, "watch text.txt", 1, "ATTNWTCH");
  check_refusal(directory, "watch none.attnwatch", 1, "none.attnwatch");
  check_refusal(directory, "watch -o a.safetensors", 2, "STREAM");
  check_refusal(directory, "watch a.attnwatch --wait 3", 2, "--out");
  check_refusal(directory, "watch a.attnwatch -o a.safetensors --wait x", 2, "--wait");
  check_refusal(directory, "watch a.attnwatch -o a.safetensors --wait -1", 2, "3600");
}

}  // namespace attnscope::cli_watch_test
