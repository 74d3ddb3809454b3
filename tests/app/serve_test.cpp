// `attnscope serve`: a process opens a model once and answers each line of input with a line.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/files/formats/safetensors.hpp"
#include "support/letters_gpt.hpp"
#include "support/program.hpp"

namespace attnscope::serve_test {
namespace {

using attnscope::test::bytes_of;
using attnscope::test::Outcome;
using attnscope::test::run;
using attnscope::test::TemporaryDirectory;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

/// The program's answers to these lines about the model in the folder "model".
std::vector<json> answers_to(const TemporaryDirectory& directory, const std::vector<std::string>& requests) {
  std::ofstream lines(directory / "requests.txt");
  for (const std::string& request : requests) lines << request << "\n";
  lines.close();
  const std::string command =
      fmt::format("cd '{}' && '{}' serve model <requests.txt >answers.txt 2>stderr.txt",
                  directory.path().native(), test::program_path());
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(bytes_of(directory / "stderr.txt").empty());
  std::vector<json> answers;
  std::ifstream answered(directory / "answers.txt");
  for (std::string line; std::getline(answered, line);) {
    answers.push_back(json::parse(line, nullptr, false));
    REQUIRE(answers.back().is_object());
  }
  return answers;
}

}  // namespace

TEST_CASE("serve writes what run writes", "[cli][serve]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "model");
  const std::vector<json> answers = answers_to(
      directory, {R"({"id": 1, "run": ["--text=abc d", "-o", "served.safetensors", "--emit", "entropy"]})",
                  R"({"id": "two", "run": ["--ids=0,1", "-o", "more.safetensors", "--generate", "3"]})"});
  REQUIRE(answers.size() == 2);
  REQUIRE(run(directory, "run model --text 'abc d' -o ran.safetensors --emit entropy").exit_code == 0);
  CHECK(bytes_of(directory / "served.safetensors") == bytes_of(directory / "ran.safetensors"));
  CHECK(answers[0] == json::parse(R"({"id": 1, "sequences": [{"given": 4, "ids": [5, 2, 6, 3],
                                      "tokens": ["ab", "c", " ", "d"]}]})"));
  CHECK(answers[1]["id"] == "two");
  const json& generated = answers[1]["sequences"][0];
  CHECK(generated["given"] == 2);
  CHECK(generated["ids"].size() > 2);
  CHECK(generated["text"].is_string());
  CHECK(SafetensorsFile(directory / "more.safetensors").find("logits") != nullptr);
}

TEST_CASE("serve is for programs and stands in no help", "[cli][serve]") {
  const TemporaryDirectory directory;
  const std::string help = run(directory, "--help").out;
  CHECK_THAT(help, ContainsSubstring("open") && !ContainsSubstring("serve"));
}

TEST_CASE("serve has atlas, tokenize and what the model is", "[cli][serve]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "model");
  const std::vector<json> answers =
      answers_to(directory, {R"({"id": 1, "atlas": ["--text=abc", "-o", "served.csv", "--last"]})",
                             R"({"id": 2, "tokenize": [], "texts": ["ab", "--json", ""]})",
                             R"({"id": 3, "model": []})"});
  REQUIRE(answers.size() == 3);
  CHECK(answers[0] == json{{"id", 1}});
  REQUIRE(run(directory, "atlas model --text abc -o ran.csv --last").exit_code == 0);
  CHECK(bytes_of(directory / "served.csv") == bytes_of(directory / "ran.csv"));
  REQUIRE(answers[1]["encodings"].size() == 3);
  CHECK(answers[1]["encodings"][0] == json::parse(R"({"ids": [5], "tokens": ["ab"], "offsets": [[0, 2]]})"));
  CHECK(answers[1]["encodings"][2]["ids"].empty());
  CHECK(answers[2]["family"] == "GPT-2");
  CHECK(answers[2]["decoder"]["heads"] == 4);
  CHECK(answers[2]["decoder"]["layers"] == 3);
}

TEST_CASE("serve answers what cannot be done with the sentence of the command", "[cli][serve]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "model");
  const std::vector<json> answers =
      answers_to(directory, {R"({"id": 1, "run": ["--text=ab"]})",
                             R"({"id": 2, "run": ["--text=ab", "-o", "x", "--ablate=9.0"]})", "no JSON",
                             "[1]", R"({"id": 5})", R"({"id": 6, "run": "--text"})",
                             R"({"id": 7, "tokenize": [], "texts": ["ab"]})"});
  REQUIRE(answers.size() == 7);
  CHECK_THAT(answers[0]["error"].get<std::string>(), ContainsSubstring("--out is required"));
  const Outcome refused = run(directory, "run model --text ab -o x --ablate 9.0");
  CHECK(refused.err == "attnscope: " + answers[1]["error"].get<std::string>() + "\n");
  CHECK_THAT(answers[2]["error"].get<std::string>(), ContainsSubstring("JSON object"));
  CHECK(answers[3]["id"].is_null());
  CHECK_THAT(answers[4]["error"].get<std::string>(), ContainsSubstring("run, atlas, tokenize"));
  CHECK_THAT(answers[5]["error"].get<std::string>(), ContainsSubstring("list of strings"));
  CHECK_FALSE(answers[6].contains("error"));
  CHECK_FALSE(exists(directory / "x"));

  const TemporaryDirectory nothing;
  const std::vector<json> missing = answers_to(nothing, {R"({"id": 1, "model": []})"});
  CHECK_THAT(missing[0]["error"].get<std::string>(), ContainsSubstring("model"));
}

TEST_CASE("a request that is cancelled leaves a process that answers", "[cli][serve]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "model");
  std::ofstream(directory / "model/config.json") << R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4,
    "architectures": ["GPT2LMHeadModel"], "n_layer": 4, "n_positions": 4096, "vocab_size": 8})";
  write_random_gpt(directory / "model", {.blocks = 4, .width = 64, .vocabulary = 8, .positions = 4096});
  const std::vector<json> answers = answers_to(
      directory, {R"({"id": 1, "run": ["--ids=0,1", "-o", "long.safetensors", "--generate=4000"]})",
                  R"({"id": 2, "run": ["--ids=0,1", "-o", "waits.safetensors"]})", R"({"cancel": true})",
                  R"({"id": 3, "run": ["--ids=0,1", "-o", "short.safetensors"]})"});
  REQUIRE(answers.size() == 3);
  CHECK(answers[0] == json{{"id", 1}, {"error", "Stopped."}});
  CHECK(answers[1] == json{{"id", 2}, {"error", "Stopped."}});
  CHECK_FALSE(answers[2].contains("error"));
  CHECK_FALSE(exists(directory / "long.safetensors"));
  CHECK(exists(directory / "short.safetensors"));
}

}  // namespace attnscope::serve_test
