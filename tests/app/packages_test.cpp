// The contents of packages agree with the program: version, manual, completions, desktop files, the loader of
// OpenGL.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/cli/manual.hpp"
#include "support/program.hpp"

namespace attnscope::packages_test {

using namespace attnscope::test::commands;

namespace {

const std::filesystem::path house = std::filesystem::path(ATTNSCOPE_TESTS).parent_path();
const std::filesystem::path desktop = house / "app/package.d/desktop";

std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::set<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) all.insert((*at)[1]);
  return all;
}

/// The names below "Subcommands:" of a help.
std::vector<std::string> commands_of(const std::string& help) {
  std::vector<std::string> names;
  const std::size_t begin = help.find("Subcommands:");
  if (begin == std::string::npos) return names;
  std::istringstream lines(help.substr(begin));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);)
    if (line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

}  // namespace

TEST_CASE("the version says commit, build and what is found on this machine", "[cli][packages]") {
  const TemporaryDirectory directory;
  const Outcome version = run(directory, "--version");
  CHECK(version.exit_code == 0);
  CHECK(version.err.empty());
  CHECK(std::regex_search(version.out, std::regex("^attnscope [0-9.]+( \\(commit [0-9a-f]{12}\\))?\n")));
  CHECK(std::regex_search(version.out, std::regex("\nbuilt with: +[A-Za-z]+ [0-9.]+, [A-Z][A-Za-z]+: -")));
  CHECK(std::regex_search(version.out, std::regex("\ninstruction set: baseline|\ninstruction set: NEON")));
  CHECK(std::regex_search(version.out, std::regex("\nCUDA: +[^ ]")));
  CHECK(std::regex_search(version.out, std::regex("\nOpenGL: +[^ ]")));
  CHECK(std::regex_search(version.out, std::regex("\nassets: +/")));
}

TEST_CASE("manual page and completions have every command and option of the help", "[cli][packages]") {
  const TemporaryDirectory directory;
  const std::string page = without_backslashes(run(directory, "manual man").out);
  const std::string bash = run(directory, "manual bash").out, zsh = run(directory, "manual zsh").out,
                    fish = run(directory, "manual fish").out;
  const auto check = [&](const std::string& command) {
    INFO(command);
    if (!command.empty()) {
      CHECK_THAT(page, ContainsSubstring(".SS attnscope " + command) ||
                           ContainsSubstring(".SS attnscope " + command + " "));
      const std::string last = command.substr(command.rfind(' ') + 1);
      CHECK_THAT(bash, ContainsSubstring("/" + last));
      CHECK_THAT(zsh, ContainsSubstring("/" + last + "')"));
      CHECK_THAT(fish, ContainsSubstring(" -a " + last + " "));
    }
    const std::string help = run(directory, command + " --help").out;
    for (const std::string& option : found(help, "\n +(?:-[a-z],)?(--[a-z][a-z0-9-]*)")) {
      INFO(option);
      CHECK_THAT(page, ContainsSubstring("fB" + option + "fR"));
      CHECK_THAT(bash, ContainsSubstring(option));
      CHECK_THAT(zsh, ContainsSubstring(option + "["));
      CHECK_THAT(fish, ContainsSubstring(" -l " + option.substr(2) + " "));
    }
    return help;
  };
  const std::vector<std::string> commands = commands_of(check(""));
  CHECK(commands.size() > 10);
  CHECK(std::ranges::find(commands, "manual") == commands.end());
  for (const std::string& command : commands)
    for (const std::string& below : commands_of(check(command))) check(command + " " + below);
}

TEST_CASE("the README of the command line lists every command and option of the help", "[cli][packages]") {
  const TemporaryDirectory directory;
  const std::string written = run(directory, "manual readme").out,
                    readme = bytes_of(house / "app/cli/README.md");
  CHECK_THAT(written, ContainsSubstring("    attnscope render [FILE] "));
  // If this fails, replace the block in app/cli/README.md by the command's output.
  CHECK_THAT(readme, ContainsSubstring("\n\n" + written + "\n"));
}

TEST_CASE("the completion of bash gives commands, options and the words of a choice", "[cli][packages]") {
  const TemporaryDirectory directory;
  directory.write("complete.bash", run(directory, "manual bash").out);
  const auto complete = [&](const std::string& words, const std::string& current) {
    directory.write("ask.bash", "source complete.bash\nCOMP_WORDS=(attnscope " + words + " '" + current +
                                    "')\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_attnscope\n" +
                                    "printf '%s ' \"${COMPREPLY[@]}\" >answer.txt\n");
    REQUIRE(std::system(("cd '" + directory.path().native() + "' && bash ask.bash").c_str()) == 0);
    return bytes_of(directory / "answer.txt");
  };
  CHECK(complete("", "ren") == "render ");
  CHECK(complete("lesson", "ch") == "check ");
  CHECK(complete("render", "--the") == "--theme ");
  CHECK(complete("render --theme", "") == "dark light contrast ");
  CHECK(complete("lesson pages", "--rev") == "--revealed ");
}

TEST_CASE("a list of words in a help is told from a sentence", "[cli][packages]") {
  CHECK(listed_words("auto, cpu or cuda") == std::vector<std::string>{"auto", "cpu", "cuda"});
  CHECK(listed_words(" one of en, de") == std::vector<std::string>{"en", "de"});
  CHECK(listed_words("yes or no") == std::vector<std::string>{"yes", "no"});
  CHECK(listed_words("a number from 0 to 3600").empty());
  CHECK(listed_words("en").empty());
  CHECK(listed_words("any of output,entropy,picture,received, each once").empty());
  CHECK(listed_words("").empty());
}

TEST_CASE("desktop entry, thumbnailer and metadata name types that are described", "[packages]") {
  const std::string described = bytes_of(desktop / "attnscope.xml");
  const std::set<std::string> types = found(described, "mime-type type=\"([^\"]+)\"");
  CHECK(types.size() == 5);
  for (const char* name : {"attnscope.desktop", "attnscope.thumbnailer"}) {
    INFO(name);
    const std::string text = bytes_of(desktop / name);
    const std::size_t begin = text.find("MimeType=") + 9;
    const std::set<std::string> named = found(text.substr(begin, text.find('\n', begin) - begin), "([^;]+);");
    CHECK(!named.empty());
    CHECK(std::ranges::includes(types, named));
    if (std::string(name) == "attnscope.desktop") CHECK(named == types);
  }
  CHECK(found(bytes_of(desktop / "attnscope.metainfo.xml"), "<mediatype>([^<]+)<") == types);
}

TEST_CASE("packages have every folder of assets but the pictures of the README files", "[packages]") {
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(house / "assets"))
    if (entry.is_directory()) there.insert(entry.path().filename().native());
  REQUIRE(there.erase("pictures") == 1);
  const std::set<std::string> lists = found(bytes_of(house / "app/package"), "for part in ([a-z ]+); do");
  REQUIRE(lists.size() == 1);
  CHECK(found(*lists.begin() + " ", "([a-z]+) ") == there);
}

TEST_CASE("a build to pack that is not there is named, and nothing is installed or packed", "[packages]") {
  const TemporaryDirectory directory;
  const auto said_of = [&](const std::string& build) {
    const std::string command = "cd '" + directory.path().native() + "' && ATTNSCOPE_BUILD=" + build + " '" +
                                (house / "app/package").native() + "' tar >packed.txt 2>said.txt";
    CHECK(std::system(command.c_str()) != 0);
    CHECK(bytes_of(directory / "packed.txt").empty());
    return bytes_of(directory / "said.txt");
  };
  CHECK(said_of("nowhere") == "package: ATTNSCOPE_BUILD names nowhere, where no finished build is\n");
  std::filesystem::create_directory(directory / "configured");
  directory.write("configured/CMakeCache.txt", "ATTNSCOPE_FAST_KERNELS:STRING=all\n");
  CHECK(said_of("configured") == "package: ATTNSCOPE_BUILD names configured, where no finished build is\n");
}

TEST_CASE("what AttnScope writes begins as its types say", "[packages]") {
  std::size_t sessions = 0, lessons = 0;
  for (const auto& entry : std::filesystem::directory_iterator(house / "assets/examples")) {
    INFO(entry.path());
    const std::string text = bytes_of(entry.path());
    if (entry.path().extension() != ".json") continue;
    ++sessions;
    CHECK(text.starts_with('{'));
    CHECK(text.find("\"attnscope\":") < 256);
  }
  for (const auto& entry : std::filesystem::directory_iterator(house / "assets/lessons")) {
    if (entry.path().extension() != ".md") continue;
    INFO(entry.path());
    ++lessons;
    CHECK(bytes_of(entry.path()).starts_with("---\nlesson:"));
  }
  CHECK(sessions > 10);
  CHECK(lessons > 20);
}

TEST_CASE("a package has every folder of assets but the pictures of the README.md files", "[packages]") {
  const std::string script = bytes_of(house / "app/package");
  const std::size_t begin = script.find("for part in "), end = script.find(';', begin);
  REQUIRE(end != std::string::npos);
  const std::string parts = script.substr(begin, end - begin) + " ";
  for (const auto& entry : std::filesystem::directory_iterator(house / "assets")) {
    const std::string name = entry.path().filename().native();
    if (!entry.is_directory() || name == "pictures") continue;
    INFO(name);
    CHECK(parts.find(" " + name + " ") != std::string::npos);
  }
}

TEST_CASE("the portable program finds every function of OpenGL and EGL that app calls", "[packages]") {
  const std::set<std::string> loaded = found(bytes_of(house / "app/package.d/portable/opengl.c"),
                                             "\n(?:EGL|GL)\\([^\n]*?, ((?:gl|egl)[A-Z]\\w+), \\(");
  CHECK(loaded.size() > 20);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(house / "app")) {
    if (entry.path().extension() != ".cpp") continue;
    for (const std::string& name : found(bytes_of(entry.path()), "\\b((?:gl|egl)[A-Z][a-z]\\w*)\\(")) {
      INFO(entry.path() << " calls " << name);
      CHECK(loaded.contains(name));
    }
  }
}

}  // namespace attnscope::packages_test
