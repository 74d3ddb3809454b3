// tests: runs the program in a temporary folder.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "support/program_path.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// Runs the program in `directory`; relative names in `arguments` are files there.
inline Outcome run(const TemporaryDirectory& directory, const std::string& arguments,
                   const std::string& program = "attnscope") {
  const std::string command = "cd '" + directory.path().native() + "' && '" + program_path(program) + "' " +
                              arguments + " 2>stderr.txt </dev/null";
  Outcome outcome;
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.out.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.err = bytes_of(directory / "stderr.txt");
  return outcome;
}

/// Checks exit code and one sentence on stderr that holds `expected`; nothing on stdout.
inline void check_refusal(const TemporaryDirectory& directory, const std::string& arguments, int exit_code,
                          const std::string& expected, const std::string& program = "attnscope") {
  INFO(arguments);
  const Outcome outcome = run(directory, arguments, program);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out.empty());
  REQUIRE(outcome.err.ends_with('\n'));
  CHECK(is_sentence(std::string_view(outcome.err).substr(0, outcome.err.size() - 1)));
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(expected));
}

/// The names that a test of the command line uses, for one `using namespace`.
namespace commands {
using Catch::Matchers::ContainsSubstring;
using test::bytes_of;
using test::check_refusal;
using test::Outcome;
using test::run;
using test::TemporaryDirectory;
}  // namespace commands

}  // namespace attnscope::test
