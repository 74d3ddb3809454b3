// The README.md files: their links lead to existing files and headings.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::readme_test {

namespace fs = std::filesystem;

namespace {

const fs::path house = fs::path(ATTNSCOPE_TESTS).parent_path();

std::vector<fs::path> readmes() {
  std::vector<fs::path> found{house / "README.md"};
  for (const char* room : {"app", "assets", "core", "gpu", "tests"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(house / room))
      if (entry.path().filename() == "README.md") found.push_back(entry.path());
  return found;
}

/// The lines of a page that are prose: no code between fences, none that is indented at the page's edge.
std::vector<std::string> prose_of(const fs::path& page) {
  std::vector<std::string> lines;
  bool in_code = false;
  std::ifstream in(page);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    if (!in_code && !line.starts_with("```") && !line.starts_with("    ")) lines.push_back(line);
  }
  return lines;
}

/// As GitHub makes an anchor of a heading: small letters, spaces as hyphens, no punctuation.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (letter >= 0x80 || std::isalnum(letter) != 0 || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(letter));
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& page) {
  std::set<std::string> anchors;
  for (const std::string& line : prose_of(page)) {
    const std::size_t words = line.find_first_not_of('#');
    if (words != 0 && words != std::string::npos && line[words] == ' ')
      anchors.insert(anchor_of(std::string_view(line).substr(words + 1)));
  }
  return anchors;
}

/// Where a run of exactly `count` backticks begins, from `at` on; npos when there is none.
std::size_t backticks(const std::string& text, std::size_t at, std::size_t count) {
  while ((at = text.find('`', at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
    if (end - at == count) return at;
    at = end;
  }
  return at;
}

/// The text without code between backticks.
std::string without_code(const std::string& text) {
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find('`', at), text.size());
    rest += text.substr(at, begin - at);
    at = std::min(text.find_first_not_of('`', begin), text.size());
    const std::size_t end = backticks(text, at, at - begin);
    if (end != std::string::npos) at = end + (at - begin);
  }
  return rest;
}

/// The link targets, in round brackets after "](".
std::vector<std::string> links_of(const fs::path& page) {
  std::string text;
  for (const std::string& line : prose_of(page)) text += line + '\n';
  text = without_code(text);
  std::vector<std::string> links;
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2))
    links.push_back(text.substr(at + 2, text.find(')', at) - at - 2));
  return links;
}

/// Why a link of `page` leads nowhere; empty when it leads somewhere.
std::string problem_of(const fs::path& page, const std::string& link) {
  if (link.starts_with("https://")) return "";
  const std::size_t hash = std::min(link.find('#'), link.size());
  const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
  if (!fs::exists(target)) return "there is no such file";
  if (hash == link.size()) return "";
  return anchors_of(target).contains(link.substr(hash + 1)) ? "" : "there is no such heading";
}

}  // namespace

TEST_CASE("every link in every README.md leads somewhere", "[house]") {
  const std::vector<fs::path> pages = readmes();
  CHECK(pages.size() >= 12);
  std::size_t links = 0;
  for (const fs::path& page : pages) {
    for (const std::string& link : links_of(page)) {
      ++links;
      INFO(page.lexically_relative(house).generic_string() << ": " << link);
      CHECK(problem_of(page, link) == "");
    }
  }
  CHECK(links >= 80);
}

TEST_CASE("the links of README.md files are told from code, and wrong ones are noticed", "[house]") {
  CHECK(anchor_of("Training: watch heads form") == "training-watch-heads-form");
  CHECK(anchor_of("tokenize, and chats") == "tokenize-and-chats");
  CHECK(without_code("a `b` c ` ```d ` e") == "a  c  e");
  const fs::path page = house / "README.md";
  CHECK(problem_of(page, "app/README.md#keys-and-gestures") == "");
  CHECK(problem_of(page, "app/README.md#keys") == "there is no such heading");
  CHECK(problem_of(page, "nowhere/README.md") == "there is no such file");
}

TEST_CASE("every README.md but that of the house is reached from it", "[house]") {
  std::set<fs::path> reached{house / "README.md"};
  std::vector<fs::path> next{house / "README.md"};
  while (!next.empty()) {
    const fs::path page = next.back();
    next.pop_back();
    for (const std::string& link : links_of(page)) {
      const fs::path target = (page.parent_path() / link.substr(0, link.find('#'))).lexically_normal();
      if (target.filename() == "README.md" && fs::exists(target) && reached.insert(target).second)
        next.push_back(target);
    }
  }
  for (const fs::path& page : readmes()) {
    INFO(page.lexically_relative(house).generic_string());
    CHECK(reached.contains(page.lexically_normal()));
  }
}

}  // namespace attnscope::readme_test
