// `attnscope_bench`: what it prints and writes, and what it refuses. How fast it is, is not tested here.
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "support/letters_gpt.hpp"
#include "support/program.hpp"

namespace attnscope::bench_test {

using namespace attnscope::test::commands;

namespace {

const std::string program = "attnscope_bench";

Outcome bench(const TemporaryDirectory& directory, const std::string& arguments) {
  return run(directory, arguments, program);
}
void check_bench_refusal(const TemporaryDirectory& directory, const std::string& arguments, int exit_code,
                         const std::string& expected) {
  check_refusal(directory, arguments, exit_code, expected, program);
}

/// How often a piece of text is there.
int count_of(const std::string& text, const std::string& piece) {
  int count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the benchmark prints a line for each length and writes the same as JSON") {
  const TemporaryDirectory directory;
  const Outcome outcome = bench(directory,
                                "--n 33,64 --heads 2 --dim 16 --causal --threads 1 --seconds 0 "
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

TEST_CASE("the benchmark measures the staged path too") {
  const TemporaryDirectory directory;
  const Outcome outcome = bench(directory, "--n 16 --heads 1 --dim 8 --path staged --seconds 0");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("staged · "));
}

TEST_CASE("the benchmark measures what a person waits for in a long sequence") {
  const TemporaryDirectory directory;
  const Outcome look =
      bench(directory, "--n 2048 --heads 2 --dim 8 --causal --path first-look --seconds 0 --json look.json");
  CHECK(look.exit_code == 0);
  CHECK_THAT(look.out, ContainsSubstring("first-look · "));
  CHECK_THAT(look.out, ContainsSubstring(" · entropy,picture · "));
  const std::string json = bytes_of(directory / "look.json");
  CHECK_THAT(json, ContainsSubstring("\"path\": \"first-look\""));
  const Outcome tile = bench(directory, "--n 100,1500 --heads 1 --dim 8 --path tile --seconds 0");
  CHECK(tile.exit_code == 0);
  CHECK_THAT(tile.out, ContainsSubstring("tile · "));
  CHECK(count_of(tile.out, "GFLOP/s") == 2);
  check_bench_refusal(directory, "--path tile --isa baseline", 1,
                      "The tile path takes the best instruction set");
  check_bench_refusal(directory, "--path tile --emit output", 1, "The tile path computes weights");
}

TEST_CASE("the benchmark says how much longer masks take that are given cell by cell") {
  const TemporaryDirectory directory;
  for (const char* mask : {"boolean", "boolean-causal", "added", "added-causal"}) {
    INFO(mask);
    const Outcome outcome =
        bench(directory, std::string("--n 20,70 --heads 2 --dim 8 --seconds 0 --json mask.json --mask ") +
                             mask + (mask[0] == 'a' ? " --mask-per-head" : ""));
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring(std::string("full · ") + mask + " mask"));
    CHECK(count_of(outcome.out, " times as long as without the mask (") == 2);
    const std::string json = bytes_of(directory / "mask.json");
    CHECK_THAT(json, ContainsSubstring(std::string("\"mask\": \"") + mask +
                                       "\", \"mask_per_head\": " + (mask[0] == 'a' ? "true" : "false")));
    CHECK(count_of(json, "\"mask_ratio\": null") == 0);
  }
  check_bench_refusal(directory, "--mask half", 2, "none, boolean, boolean-causal, added or added-causal");
  check_bench_refusal(directory, "--mask-per-head", 1, "--mask-per-head needs a --mask.");
  check_bench_refusal(directory, "--n 64 --mask added --path staged", 1, "The staged path takes no mask");
  check_bench_refusal(directory, "--n 32768 --mask boolean", 1,
                      "A mask of 1 x 32768 x 32768 cells is larger");
}

TEST_CASE("the benchmark draws time and memory against the length") {
  const TemporaryDirectory directory;
  const Outcome outcome =
      bench(directory, "--n 16,32,64 --heads 1 --dim 8 --threads 1 --seconds 0 --plot curve.svg");
  CHECK(outcome.exit_code == 0);
  const std::string svg = bytes_of(directory / "curve.svg");
  CHECK(count_of(svg, "<circle") == 6);  // a point for each length in both plots
  for (const char* words : {">Time<", ">Memory above inputs and results<", ">n²<", "1 head of 8"})
    CHECK_THAT(svg, ContainsSubstring(words));
  check_bench_refusal(directory, "--n 16 --plot curve.svg", 1, "at least two lengths in rising order");
  check_bench_refusal(directory, "--n 3000 --heads 12 --path staged", 1,
                      "12 heads of 3000 x 3000 scores are more than the 33554432 that the staged path keeps");
}

TEST_CASE("the benchmark refuses what it cannot measure") {
  const TemporaryDirectory directory;
  check_bench_refusal(directory, "--n 0", 2, "--n is \"0\", expected whole numbers from 1 to 1048576");
  check_bench_refusal(directory, "--emit output,output", 2, "each once");
  check_bench_refusal(directory, "--path both", 2, "streaming, staged, first-look or tile");
#if defined(__x86_64__)
  check_bench_refusal(directory, "--n 16 --heads 1 --seconds 0 --isa neon", 1,
                      "This machine has no kernels named");
#endif
}

TEST_CASE("the benchmark says with --model how long opening, a text and one token more take") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  const Outcome done = bench(directory, "--model m --n 4,8 --seconds 0 --threads 1 --json b.json");
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  CHECK_THAT(done.out, ContainsSubstring("GPT-2 · 1 block, 2 heads, 8 wide"));
  CHECK_THAT(done.out, ContainsSubstring("one token more"));
  std::ifstream file(directory / "b.json");
  const auto report = nlohmann::json::parse(file);
  CHECK(report.at("family") == "GPT-2");
  CHECK(report.at("open_ms") > 0);
  REQUIRE(report.at("lengths").size() == 2);
  CHECK(report["lengths"][1].at("n") == 8);
  CHECK(report["lengths"][1].at("median_ms") > 0);
  CHECK(report["lengths"][1].at("token_ms") > 0);
  // Without lengths as many tokens as the model takes.
  CHECK_THAT(bench(directory, "--model m --seconds 0").out, ContainsSubstring("n     16"));
  check_bench_refusal(directory, "--model m --n 17 --seconds 0", 1, "m takes 16 at most");
  check_bench_refusal(directory, "--model m --heads 3", 2, "excludes");
  std::filesystem::create_directory(directory / "empty");
  check_bench_refusal(directory, "--model empty --seconds 0", 1,
                      "is a folder without config.json and without a .gguf file");
}

TEST_CASE("the benchmark measures a task's training with --train") {
  const TemporaryDirectory directory;
  const Outcome measured = bench(directory, "--train reverse --seconds 0.05 --json bench.json");
  CHECK(measured.exit_code == 0);
  CHECK_THAT(measured.out, ContainsSubstring("tokens a second"));
  CHECK_THAT(bytes_of(directory / "bench.json"), ContainsSubstring("tokens_per_second"));
  check_bench_refusal(directory, "--train nothing", 1, "no task");
  check_bench_refusal(directory, "--train reverse --causal", 2, "--causal");
}

TEST_CASE("the benchmark refuses a card that is not there as the program does") {
  const TemporaryDirectory directory;
  directory.write("a.txt", "a text");
  const Outcome described = run(directory, "describe a.txt --backend cuda");
  if (described.exit_code == 0) SKIP("there is a card here");
  REQUIRE(described.err.starts_with("attnscope: "));
  const std::string why = described.err.substr(std::string("attnscope: ").size());
  check_bench_refusal(directory, "--backend cuda --n 8", 1, program + ": " + why);
}

TEST_CASE("the benchmark is a program of its own: its help is on stdout, a dash is no file") {
  const TemporaryDirectory directory;
  const Outcome help = bench(directory, "--help");
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  CHECK_THAT(help.out, ContainsSubstring("attnscope_bench") && ContainsSubstring("--window"));
  CHECK_THAT(run(directory, "--help").out, !ContainsSubstring("bench"));
  for (const char* option : {"--plot -", "--json -"})
    check_bench_refusal(directory, option, 2, "the standard output; \"./-\" is a file of that name");
  CHECK_FALSE(std::filesystem::exists(directory / "-"));
}

}  // namespace attnscope::bench_test
