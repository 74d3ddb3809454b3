// `attnscope atlas`, run as a program: a line for each head, of decoders, encoders and encoder-decoders.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/letters_gpt.hpp"
#include "support/program.hpp"

namespace attnscope::cli_atlas_test {

using namespace attnscope::test::commands;
namespace fs = std::filesystem;

namespace {

/// The table that `atlas` writes with these arguments.
std::vector<std::string> written_lines(const TemporaryDirectory& directory, const std::string& arguments) {
  const Outcome outcome = run(directory, "atlas " + arguments + " -o o.csv");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  std::ifstream file(directory / "o.csv");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("blocks that the config does not count are told of on stderr", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  write_random_gpt(directory / "m", {.blocks = 2, .width = 8, .vocabulary = 5, .positions = 16});
  const char* const said =
      "attnscope: \"m\" has one block more than n_layer says, \"h.1\": it is left out, as in transformers.\n";
  const Outcome ran = run(directory, "run m --text ab -o a.safetensors");
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == said);
  CHECK(run(directory, "model m").err == said);
  directory.write("t.txt", "ab\nab\n");
  CHECK_THAT(run(directory, "heads m --texts t.txt").err, ContainsSubstring(said));
}

TEST_CASE("atlas writes a line for each head", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  const auto lines_of = [&](const std::string& options) { return written_lines(directory, "m " + options); };
  const std::vector<std::string> lines = lines_of("--text abcab");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "block,head,kl,top_logit_change,top_token,mean_kl,nll_change");
  CHECK(lines[1].starts_with("0,0,"));
  CHECK(lines[2].starts_with("0,1,"));
  CHECK(lines == lines_of("--ids 3,2,3"));
  CHECK(lines != lines_of("--ids 3,2,3 --mean"));
  CHECK(lines_of("--ids 3,2,3 --last")[1].ends_with(",,"));
  // The curve ends with both heads removed, in either order.
  CHECK(lines_of("--ids 3,2,3 --prune").size() == 3);
  const Outcome printed = run(directory, "atlas m --ids 3,2,3 -o -");
  CHECK(printed.exit_code == 0);
  CHECK(printed.out == fmt::format("{}\n", fmt::join(lines_of("--ids 3,2,3"), "\n")));
  CHECK_FALSE(fs::exists(directory / "-"));
  check_refusal(directory, "atlas m --ids 9 -o p.csv", 1, "the model has tokens 0 to 4");
  check_refusal(directory, "atlas m -o p.csv", 2, "required");
  CHECK_FALSE(fs::exists(directory / "p.csv"));
}

TEST_CASE("atlas of encoders asks about the masked token, of an encoder-decoder about the next",
          "[cli][models]") {
  const TemporaryDirectory directory;
  const fs::path goldens = fs::path(ATTNSCOPE_TESTS) / "goldens/models";
  const auto refused = [&](const std::string& line, const std::string& why) {
    check_refusal(directory, "atlas " + line + " -o no.csv", 1, why);
  };
  for (const char* name : {"bert_masked", "bert_classify", "bert_tokens", "t5_gated"}) {
    fs::copy(goldens / name, directory / name);
    std::ofstream vocabulary(directory / name / "vocab.txt");
    for (const char* token : {"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "a", "b"})
      vocabulary << token << "\n";
    for (int i = 0; i < 33; ++i) vocabulary << "w" << i << "\n";
  }
  const auto lines_of = [&](const std::string& line) { return written_lines(directory, line); };
  const std::vector<std::string> masked = lines_of("bert_masked --text 'a [MASK] b'");
  REQUIRE(masked.size() == 5);
  CHECK(masked[1].ends_with(","));
  CHECK_FALSE(masked[1].ends_with(",,"));
  CHECK(masked == lines_of("bert_masked --ids 2,5,4,6,3 --at 2"));
  CHECK(masked != lines_of("bert_masked --text 'a [MASK] b' --at 1"));
  refused("bert_masked --text 'a b'", "write [MASK] for a word");
  refused("bert_masked --text 'a b' --at 4", "no row 4");
  CHECK(lines_of("bert_classify --text 'a b'")[1].ends_with(",,"));
  CHECK(lines_of("bert_tokens --text 'a b' --at 1").size() == 5);
  refused("bert_tokens --text 'a b'", "whose the effects are measured on");
  CHECK(lines_of("t5_gated --ids 5,6,7").size() == 9);
  refused("bert_masked --text a --decoder-text b", "encoder-decoders");
}

}  // namespace attnscope::cli_atlas_test
