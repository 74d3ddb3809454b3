// core/CMakeLists.txt compiles some folders without the optimiser. Files with loops over the cells of a
// matrix must not be in these folders.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::glue_test {

namespace fs = std::filesystem;

namespace {

const fs::path house = fs::path(ATTNSCOPE_TESTS).parent_path();

/// Files whose loops are short: a label for each patch of a picture.
constexpr std::array<std::string_view, 1> few{"/core/models/opened/opened_model.cpp"};

/// The quoted pattern after `words` in the build file. A backslash at the end of a line joins it with the
/// next.
std::regex pattern_behind(const std::string& build, const std::string& words) {
  const std::size_t at = build.find(words + " \"");
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + words.size() + 2;
  std::string pattern = build.substr(begin, build.find('"', begin) - begin);
  for (std::size_t turn = pattern.find("\\\n"); turn != std::string::npos; turn = pattern.find("\\\n"))
    pattern.erase(turn, 2);
  return std::regex(pattern);
}

/// The .cpp files that are compiled without the optimiser, from "/core/" on.
std::vector<std::string> glue() {
  std::ifstream in(house / "core/CMakeLists.txt");
  const std::string build{std::istreambuf_iterator<char>(in), {}};
  const std::regex among = pattern_behind(build, "list(FILTER glue INCLUDE REGEX"),
                   not_among = pattern_behind(build, "list(FILTER glue EXCLUDE REGEX");
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(house / "core")) {
    const std::string file = "/" + entry.path().lexically_relative(house).generic_string();
    if (file.ends_with(".cpp") && std::regex_search(file, among) && !std::regex_search(file, not_among))
      found.push_back(file);
  }
  return found;
}

/// The first line that goes over the cells of a matrix: a loop over one axis inside of one over another (axes
/// of tensors are counted in std::int64_t), or a block of one matrix that is given to another. Empty when
/// there is none. Sources are indented by clang-format.
std::string loop_over_cells(std::istream& source) {
  const std::regex gives_block(R"(\bmatrix\(.*[^=!<>]=[^=].*\bmatrix\()");
  std::vector<std::size_t> loops;  // how far the open ones are indented
  for (std::string line; std::getline(source, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    while (!loops.empty() && loops.back() >= indent) loops.pop_back();
    const bool names_views = line.find("const auto ") == indent;
    if (!names_views && std::regex_search(line, gives_block)) return line;
    if (!std::string_view(line).substr(indent).starts_with("for (std::int64_t ")) continue;
    if (!loops.empty()) return line;
    loops.push_back(indent);
  }
  return "";
}
std::string loop_over_cells_in(const std::string& file) {
  std::ifstream in(house / file.substr(1));
  return loop_over_cells(in);
}

}  // namespace

TEST_CASE("what is compiled without the optimiser has no loop over the cells of a matrix", "[house]") {
  const std::vector<std::string> files = glue();
  CHECK(files.size() > 100);
  for (const std::string& file : files) {
    // Matrices of some hundred rows, whose products core/base computes; measured in core/CMakeLists.txt.
    if (file.starts_with("/core/experiments/") || file.starts_with("/core/training/tasks/")) continue;
    INFO(file << " belongs on the second list of core/CMakeLists.txt");
    if (std::ranges::find(few, file) == few.end()) CHECK(loop_over_cells_in(file) == "");
  }
  for (const std::string_view file : few) {
    INFO(file << " is no exception any more");
    CHECK(std::ranges::find(files, file) != files.end());
    CHECK(loop_over_cells_in(std::string(file)) != "");
  }
}

TEST_CASE("a loop over the cells of a matrix is told from others", "[house]") {
  const auto found = [](const std::string& text) {
    std::istringstream source(text);
    return loop_over_cells(source) != "";
  };
  CHECK(found("  for (std::int64_t i = 0; i < n; ++i)\n    for (std::int64_t j = 0; j < n; ++j) f(i, j);\n"));
  CHECK(found("  a->matrix().middleCols(0, 4) = b.matrix();\n"));
  CHECK(found("  a.matrix() += b.matrix();\n"));
  CHECK_FALSE(
      found("  for (std::int64_t i = 0; i < n; ++i) f(i);\n  for (std::int64_t j = 0; j < n; ++j) f(j);\n"));
  CHECK_FALSE(found("  for (const Row& row : rows)\n    for (std::int64_t j = 0; j < n; ++j) f(row, j);\n"));
  CHECK_FALSE(found("  if (a.matrix() == b.matrix()) return;\n"));
  CHECK_FALSE(found("  const auto all = a.matrix(), part = b.matrix();\n"));
}

}  // namespace attnscope::glue_test
