// The house itself: which folders know which.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::folders_test {

namespace fs = std::filesystem;

namespace {

struct Inclusion {
  std::string from, to;  // files, below the top level
};

std::string folder_of(const std::string& file) { return fs::path(file).parent_path().generic_string(); }
std::string room_of(const std::string& file) { return file.substr(0, file.find('/')); }

bool is_source(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".cpp" || ending == ".hpp" || ending == ".cu" || ending == ".cuh";
}

std::vector<std::string> sources() {
  const fs::path top = fs::path(ATTNSCOPE_TESTS).parent_path();
  std::vector<std::string> found;
  for (const char* room : {"core", "gpu", "app"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top / room))
      if (entry.is_regular_file() && is_source(entry.path()))
        found.push_back(fs::relative(entry.path(), top).generic_string());
  return found;
}

std::vector<Inclusion> inclusions(const std::vector<std::string>& files) {
  const fs::path top = fs::path(ATTNSCOPE_TESTS).parent_path();
  const std::set<std::string> known(files.begin(), files.end());
  constexpr std::string_view begin = "#include \"";
  std::vector<Inclusion> found;
  for (const std::string& file : files) {
    std::ifstream in(top / file);
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with(begin)) continue;
      const std::string to = line.substr(begin.size(), line.find('"', begin.size()) - begin.size());
      if (known.contains(to)) found.push_back({file, to});
    }
  }
  return found;
}

}  // namespace

TEST_CASE("no two folders include each other", "[house]") {
  const std::vector<std::string> files = sources();
  REQUIRE(files.size() > 300);
  std::map<std::pair<std::string, std::string>, Inclusion> edges;
  for (const Inclusion& inclusion : inclusions(files)) {
    const std::string from = folder_of(inclusion.from), to = folder_of(inclusion.to);
    if (from != to) edges.try_emplace({from, to}, inclusion);
  }
  CHECK(edges.size() > 50);
  for (const auto& [pair, inclusion] : edges) {
    const auto back = edges.find({pair.second, pair.first});
    if (back == edges.end()) continue;
    INFO(inclusion.from << " includes " << inclusion.to << ", and " << back->second.from << " includes "
                        << back->second.to);
    CHECK(back == edges.end());
  }
}

TEST_CASE("rooms know only those before them", "[house]") {
  const std::vector<std::string> rooms{"core", "gpu", "app"};
  const auto place = [&](const std::string& file) { return std::ranges::find(rooms, room_of(file)); };
  for (const Inclusion& inclusion : inclusions(sources())) {
    INFO(inclusion.from << " includes " << inclusion.to);
    CHECK(place(inclusion.to) <= place(inclusion.from));
  }
}

TEST_CASE("a source file is short enough to be read at once", "[house]") {
  const fs::path top = fs::path(ATTNSCOPE_TESTS).parent_path();
  for (const char* room : {"core", "gpu", "app", "tests"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top / room)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      std::ifstream in(entry.path());
      const auto lines = std::count(std::istreambuf_iterator<char>(in), {}, '\n');
      INFO(fs::relative(entry.path(), top).generic_string() << " has " << lines << " lines");
      CHECK(lines <= 400);
    }
}

TEST_CASE("a folder holds few enough files to be read as a list", "[house]") {
  std::map<std::string, int> files;
  for (const std::string& file : sources()) ++files[folder_of(file)];
  for (const auto& [folder, count] : files) {
    INFO(folder << " holds " << count << " files");
    CHECK(count <= 36);
  }
  CHECK(files["app"] == 1);  // main.cpp
  CHECK(files["core"] == 0);
}

}  // namespace attnscope::folders_test
