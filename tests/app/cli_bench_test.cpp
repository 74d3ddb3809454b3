// `attnscope bench`: what it prints and writes, and what it refuses. How fast it is, is not tested here.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/streaming/kernels/kernels.hpp"
#include "support/program.hpp"

namespace attnscope::cli_bench_test {

using namespace attnscope::test::commands;

namespace {

/// How often a piece of text is there.
int count_of(const std::string& text, const std::string& piece) {
  int count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("bench prints a line for each length and writes the same as JSON") {
  const TemporaryDirectory directory;
  const Outcome outcome = run(directory,
                              "bench --n 33,64 --heads 2 --dim 16 --causal --threads 1 --seconds 0 "
                              "--emit output,entropy,picture,received --isa baseline --json out.json");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out,
             ContainsSubstring("streaming · baseline · output,entropy,picture,received · 2 heads of 16 · "
                               "causal · 1 thread\n"));
  CHECK(count_of(outcome.out, "GFLOP/s") == 2);
  CHECK(count_of(outcome.out, "% of GEMM") == 2);
  const std::string json = bytes_of(directory / "out.json");
  for (const char* name :
       {"\"median_ms\"", "\"gflops\"", "\"share_of_gemm\"", "\"extra_megabytes\"", "\"runs\": 5"})
    CHECK(count_of(json, name) == 2);
  CHECK_THAT(json, ContainsSubstring("\"causal\": true, \"threads\": 1"));
}

TEST_CASE("bench measures the staged path too") {
  const TemporaryDirectory directory;
  const Outcome outcome = run(directory, "bench --n 16 --heads 1 --dim 8 --path staged --seconds 0");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("staged · "));
}

TEST_CASE("bench measures what a person waits for in a long sequence") {
  const TemporaryDirectory directory;
  const Outcome look = run(
      directory, "bench --n 2048 --heads 2 --dim 8 --causal --path first-look --seconds 0 --json look.json");
  CHECK(look.exit_code == 0);
  CHECK_THAT(look.out, ContainsSubstring("first-look · "));
  CHECK_THAT(look.out, ContainsSubstring(" · entropy,picture · "));
  const std::string json = bytes_of(directory / "look.json");
  CHECK_THAT(json, ContainsSubstring("\"path\": \"first-look\""));
  const Outcome tile = run(directory, "bench --n 100,1500 --heads 1 --dim 8 --path tile --seconds 0");
  CHECK(tile.exit_code == 0);
  CHECK_THAT(tile.out, ContainsSubstring("tile · "));
  CHECK(count_of(tile.out, "GFLOP/s") == 2);
  check_refusal(directory, "bench --path tile --isa baseline", 1,
                "The tile path takes the best instruction set");
  check_refusal(directory, "bench --path tile --emit output", 1, "The tile path computes weights");
  check_refusal(directory, "bench --path first-look --precision bf16", 1,
                "The first-look path computes in fp32");
}

TEST_CASE("bench says how much longer masks take that are given cell by cell") {
  const TemporaryDirectory directory;
  for (const char* mask : {"boolean", "boolean-causal", "added", "added-causal"}) {
    INFO(mask);
    const Outcome outcome =
        run(directory, std::string("bench --n 20,70 --heads 2 --dim 8 --seconds 0 --json mask.json --mask ") +
                           mask + (mask[0] == 'a' ? " --mask-per-head" : ""));
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring(std::string("full · ") + mask + " mask"));
    CHECK(count_of(outcome.out, " times as long as without the mask (") == 2);
    const std::string json = bytes_of(directory / "mask.json");
    CHECK_THAT(json, ContainsSubstring(std::string("\"mask\": \"") + mask +
                                       "\", \"mask_per_head\": " + (mask[0] == 'a' ? "true" : "false")));
    CHECK(count_of(json, "\"mask_ratio\": null") == 0);
  }
  check_refusal(directory, "bench --mask half", 2, "none, boolean, boolean-causal, added or added-causal");
  check_refusal(directory, "bench --mask-per-head", 1, "--mask-per-head needs a --mask.");
  check_refusal(directory, "bench --n 64 --mask added --path staged", 1, "The staged path takes no mask");
  check_refusal(directory, "bench --n 32768 --mask boolean", 1,
                "A mask of 1 x 32768 x 32768 cells is larger");
}

TEST_CASE("bench computes in bfloat16 where the processor does") {
  using namespace attnscope::streaming;
  const TemporaryDirectory directory;
  const Outcome outcome = run(directory, "bench --n 64 --heads 1 --dim 8 --precision bf16 --seconds 0");
  const bool here = kernels_for(InstructionSet::Avx512Bfloat) != nullptr ||
                    kernels_for(InstructionSet::AmxBfloat) != nullptr;
  CHECK(outcome.exit_code == (here ? 0 : 1));
  CHECK_THAT(here ? outcome.out : outcome.err,
             ContainsSubstring(here ? " bf16 · output,entropy · "
                                    : "bf16 needs a processor with products of bfloat16"));
}

TEST_CASE("bench draws time and memory against the length") {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run(directory, "bench --n 16,32,64 --heads 1 --dim 8 --threads 1 --seconds 0 --plot curve.svg");
  CHECK(outcome.exit_code == 0);
  const std::string svg = bytes_of(directory / "curve.svg");
  CHECK(count_of(svg, "<circle") == 6);  // a point for each length in both plots
  for (const char* words : {">Time<", ">Memory above inputs and results<", ">n²<", "1 head of 8"})
    CHECK_THAT(svg, ContainsSubstring(words));
  check_refusal(directory, "bench --n 16 --plot curve.svg", 1, "at least two lengths in rising order");
  check_refusal(directory, "bench --n 3000 --heads 12 --path staged", 1,
                "12 heads of 3000 x 3000 scores are more than the 33554432 that the staged path keeps");
}

TEST_CASE("bench refuses what it cannot measure") {
  const TemporaryDirectory directory;
  check_refusal(directory, "bench --n 0", 2, "--n is \"0\", expected whole numbers from 1 to 1048576");
  check_refusal(directory, "bench --emit output,output", 2, "each once");
  check_refusal(directory, "bench --path both", 2, "streaming, staged, first-look or tile");
  check_refusal(directory, "bench --precision bf16 --path staged", 1, "The staged path computes in fp32");
  namespace streaming = attnscope::streaming;
  if (streaming::kernels_for(streaming::InstructionSet::AmxSplitBfloat) == nullptr)
    check_refusal(directory, "bench --precision split-bf16", 1, "needs a processor with a matrix unit");
#if defined(__x86_64__)
  check_refusal(directory, "bench --n 16 --heads 1 --seconds 0 --isa neon", 1,
                "This machine has no kernels named");
#endif
}

}  // namespace attnscope::cli_bench_test
