// `attnscope train`, run as a program: a model that the other commands open, a run that is killed and
// resumed, the same bits again, and refusals.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "core/training/files/checkpoint.hpp"
#include "core/training/files/export_model.hpp"
#include "support/program.hpp"
#include "support/wait.hpp"

namespace attnscope::cli_train_test {
namespace {

using namespace attnscope::test::commands;
using attnscope::test::wait_until;

const std::string quick = "train small-induction --steps 75 --threads 2 ";

/// Starts the program and kills it once its checkpoint has at least `step` steps. Returns whether it was
/// killed before its end; on a busy machine this process may notice the checkpoint too late.
bool started_and_killed(const TemporaryDirectory& directory, const std::string& arguments,
                        const std::filesystem::path& checkpoint, std::int64_t step) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string command = "cd '" + directory.path().native() + "' && exec '" + test::program_path() +
                                "' " + arguments + " >/dev/null 2>&1";
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  const bool is_there = wait_until(
      [&] { return exists(checkpoint) && training::read_checkpoint(checkpoint).snapshot.step >= step; },
      std::chrono::milliseconds(1));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(is_there);
  return WIFSIGNALED(status);
}

}  // namespace

TEST_CASE("train makes a model that the other commands open, and makes it again", "[cli][training]") {
  const TemporaryDirectory directory;
  const Outcome made = run(directory, quick + "-o model --log log.csv --seed 3");
  CHECK(made.exit_code == 0);
  CHECK_THAT(made.out, ContainsSubstring("after 75 steps"));
  CHECK_THAT(made.err, ContainsSubstring("tokens a second"));
  const std::string log = bytes_of(directory / "log.csv");
  CHECK_THAT(log, ContainsSubstring("step,rate,batch loss"));
  CHECK_THAT(log, ContainsSubstring("induction 1.1"));
  CHECK(std::count(log.begin(), log.end(), '\n') == 5);  // steps 0, 25, 50, 75 below the names

  const Outcome told = run(directory, "model model");
  CHECK(told.exit_code == 0);
  CHECK_THAT(told.out, ContainsSubstring("GPT-NeoX"));
  CHECK(run(directory, "run model --text 't3 t4 t5' -o out.safetensors").exit_code == 0);
  const Outcome verified = run(directory, "train --verify model --threads 1");
  CHECK(verified.exit_code == 0);
  CHECK_THAT(verified.out, ContainsSubstring("Reproduced to the bit"));

  // With one number changed it is not the recipe's model any more.
  std::string bytes = bytes_of(directory / "model/model.safetensors");
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
  directory.write("model/model.safetensors", bytes);
  const Outcome refuted = run(directory, "train --verify model");
  CHECK(refuted.exit_code == 1);
  CHECK_THAT(refuted.err, ContainsSubstring("was not reproduced"));
}

TEST_CASE("a recipe leaves layers without positions, and the model that it makes says so",
          "[cli][training]") {
  const TemporaryDirectory directory;
  directory.write("recipe.json", R"({"task": "small-induction", "network": {"no_rope_layer_interval": 2}})");
  REQUIRE(run(directory, "train recipe.json --steps 25 -o model").exit_code == 0);
  CHECK_THAT(run(directory, "model model").out, ContainsSubstring("positions: rotary in 1 of 2 layers"));
  CHECK(run(directory, "run model --text 't3 t4 t5' -o out.safetensors").exit_code == 0);
  CHECK_THAT(run(directory, "train --verify model").out, ContainsSubstring("Reproduced to the bit"));
  directory.write("recipe.json", R"({"task": "sort", "network": {"no_rope_layer_interval": 1}})");
  check_refusal(directory, "train recipe.json -o sorted", 1, "network.no_rope_layer_interval is 1");
}

TEST_CASE("a run that is killed goes on without a changed bit", "[cli][training]") {
  const TemporaryDirectory directory;
  REQUIRE(run(directory, quick + "-o whole --log whole.csv").exit_code == 0);
  bool killed = false;
  for (int attempt = 0; attempt < 20 && !killed; ++attempt) {
    std::filesystem::remove_all(directory / "killed");
    std::filesystem::remove(directory / "killed.csv");
    killed = started_and_killed(directory, quick + "-o killed --log killed.csv --keep-every 0",
                                directory / "killed/training.safetensors", 25);
  }
  REQUIRE(killed);
  CHECK_FALSE(exists(directory / "killed/model.safetensors"));
  const Outcome resumed = run(directory, quick + "-o killed --log killed.csv");
  CHECK(resumed.exit_code == 0);
  CHECK(training::first_difference(directory / "whole/model.safetensors",
                                   directory / "killed/model.safetensors")
            .empty());
  CHECK(training::first_difference(directory / "whole/training.safetensors",
                                   directory / "killed/training.safetensors")
            .empty());
  CHECK(bytes_of(directory / "killed.csv").substr(0, 200) ==
        bytes_of(directory / "whole.csv").substr(0, 200));
}

TEST_CASE("train refuses with a sentence", "[cli][training]") {
  const TemporaryDirectory directory;
  check_refusal(directory, "train inductoin -o model", 1, "no task");
  check_refusal(directory, "train small-induction", 1, "-o is missing");
  check_refusal(directory, "train", 1, "Name a task");
  check_refusal(directory, "train small-induction -o model --seed x", 2, "--seed");
  check_refusal(directory, "train recipe.json -o model", 1, "recipe.json");
  directory.write("recipe.json", R"({"task": "induction", "network": {"hedas": 4}})");
  check_refusal(directory, "train recipe.json -o model", 1, "network.hedas");
  directory.write("recipe.json", R"({"task": "induction"})");
  check_refusal(directory, "train recipe.json --control -o model", 1, "--control");
  check_refusal(directory, "train --verify nowhere", 1, "nowhere");
  REQUIRE(run(directory, "train reverse --steps 10 -o model").exit_code == 0);
  check_refusal(directory, "train reverse --steps 20 -o model", 1, "another recipe");
}

TEST_CASE("train --list names every task", "[cli][training]") {
  const TemporaryDirectory directory;
  const Outcome listed = run(directory, "train --list");
  for (const training::TaskRow& task : training::tasks())
    CHECK_THAT(listed.out, ContainsSubstring(std::string(task.about)));
}

}  // namespace attnscope::cli_train_test
