// The entries of a folder, read in the background, sorted with numbers by value; and the kinds of files.
#include "app/files/folder.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>

#include "app/files/file_kinds.hpp"
#include "core/text/utf8.hpp"
#include "support/running_threads.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::folder_test {

using namespace attnscope::test;
using namespace std::chrono_literals;

namespace {

Folder folder_at(const std::filesystem::path& path) {
  FolderReader reader;
  const FolderReading reading = reader.read(path);
  REQUIRE(reading.wait(20s));
  return reading.folder();
}

std::vector<std::string> names_of(const Folder& folder) {
  std::vector<std::string> names;
  for (const FolderEntry& entry : folder.entries) names.push_back(entry.name);
  return names;
}

}  // namespace

TEST_CASE("a folder lists its folders first, then files, by names as people sort them", "[files]") {
  const TemporaryDirectory directory;
  for (const char* name : {"head 10.json", "head 2.json", "Beta.txt", "alpha.txt", ".hidden"})
    directory.write(name, "12345");
  std::filesystem::create_directories(directory / "zoo");
  std::filesystem::create_directories(directory / "Attic");
  std::filesystem::create_symlink(directory / "alpha.txt", directory / "link.txt");
  std::filesystem::create_symlink(directory / "nowhere", directory / "dangling.txt");
  ::mkfifo((directory / "pipe").c_str(), 0600);
  const Folder folder = folder_at(directory.path());
  CHECK(folder.trouble.empty());
  CHECK(names_of(folder) == std::vector<std::string>{"Attic", "zoo", ".hidden", "alpha.txt", "Beta.txt",
                                                     "head 2.json", "head 10.json", "link.txt"});
  CHECK(folder.entries[0].is_folder);
  CHECK((!folder.entries[3].is_folder && folder.entries[3].bytes == 5 && folder.entries[3].changed > 0));
}

TEST_CASE("names come in one order whatever they are", "[files]") {
  const std::vector<std::string> sorted{"", "1", "01", "2", "10", "a", "A", "a1", "a02", "a2b", "a10", "b"};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      INFO("\"" << sorted[i] << "\" and \"" << sorted[j] << "\"");
      CHECK_FALSE((comes_before(sorted[i], sorted[j]) && comes_before(sorted[j], sorted[i])));
      if (i == j) CHECK_FALSE(comes_before(sorted[i], sorted[j]));
      const bool by_value_alone = (i == 1 && j == 2) || (i == 5 && j == 6);  // equal to a person
      if (i < j && !by_value_alone) CHECK(comes_before(sorted[i], sorted[j]));
    }
}

TEST_CASE("entries are ordered by size and time as well, newest and largest first, folders before them",
          "[files]") {
  std::vector<FolderEntry> entries{
      {"f", true, 0, 5}, {"a", false, 1, 30}, {"b", false, 3, 10}, {"c", false, 2, 20}};
  const auto names = [&] {
    std::string all;
    for (const FolderEntry& entry : entries) all += entry.name;
    return all;
  };
  sort_entries(entries, FolderOrder::Size, false);
  CHECK(names() == "fbca");
  sort_entries(entries, FolderOrder::Changed, false);
  CHECK(names() == "facb");
  sort_entries(entries, FolderOrder::Changed, true);
  CHECK(names() == "fbca");
  sort_entries(entries, FolderOrder::Name, true);
  CHECK(names() == "fcba");
}

TEST_CASE("a folder that cannot be read says so in a sentence", "[files]") {
  const TemporaryDirectory directory;
  const std::string missing = folder_at(directory / "none").trouble;
  CHECK(is_sentence(missing));
  CHECK(missing.find("none") != std::string::npos);
  CHECK(is_sentence(folder_at(directory.write("file", "")).trouble));
}

TEST_CASE("a reading that is not wanted any more is not waited for", "[files]") {
  const TemporaryDirectory directory;
  directory.write_many(3000);
  FolderReader reader;
  using Clock = std::chrono::steady_clock;
  Clock::duration read = 1h, let_go = 1h;  // the least of some runs, in which this thread was not interrupted
  for (int attempt = 0; attempt < 10; ++attempt) {
    const auto start = Clock::now();
    FolderReading reading = reader.read(directory.path());
    REQUIRE(reading.wait(20s));
    read = std::min(read, Clock::now() - start);
    reading = reader.read(directory.path());
    const auto asked = Clock::now();
    reading = {};
    let_go = std::min(let_go, Clock::now() - asked);
    CHECK_FALSE(reading.is_reading());
  }
  CHECK(let_go < read / 4);
  const FolderReading again = reader.read(directory.path());
  REQUIRE(again.wait(20s));
  CHECK(again.count() == 3000);
}

TEST_CASE("no thread reads a folder when its reader is gone", "[files]") {
  const TemporaryDirectory directory;
  directory.write_many(3000);
  const int before = running_threads();
  {
    FolderReader reader;
    FolderReading reading = reader.read(directory.path());
    for (int i = 0; i < 5; ++i) reading = reader.read(directory.path());  // earlier ones are dropped
    CHECK(running_threads() > before);
  }
  CHECK(running_threads() == before);
}

TEST_CASE("what a file is goes by its name and size", "[files]") {
  const auto kind = [](const char* name, std::uint64_t bytes = 10) {
    return kind_of(FolderEntry{name, false, bytes, 0});
  };
  CHECK(kind("a.json") == FileKind::Session);
  CHECK(kind("a.SAFETENSORS", 1'000'000'000) == FileKind::Tensors);
  CHECK(kind("a.npy") == FileKind::Tensors);
  CHECK(kind("readme") == FileKind::Text);
  CHECK(kind("a.md") == FileKind::Text);
  CHECK(kind("a.md", 2'000'000) == FileKind::Other);  // more than a text may have
  CHECK(kind("a.pdf") == FileKind::Other);
  CHECK_FALSE(can_be_opened(kind("a.png")));
  CHECK(can_be_opened(kind("a.txt")));
}

TEST_CASE("a file is called like the title, without what a path means something by", "[files]") {
  CHECK(suggested_name("The cat sat on the mat", ".json") == "The cat sat on the mat.json");
  CHECK(suggested_name("one.txt", ".json") == "one.json");
  CHECK(suggested_name("../../etc/passwd", ".json") == "-..-etc-passwd.json");
  CHECK(suggested_name("", ".json") == "untitled.json");
  CHECK(suggested_name(" . ", ".png") == "untitled.png");
  CHECK(suggested_name("a\nb\x02"
                       "c",
                       ".csv")
            .find('\n') == std::string::npos);
  std::string katzen;
  for (int i = 0; i < 60; ++i) katzen += "ä";
  const std::string cut = suggested_name(katzen, ".json");
  CHECK(cut.size() < 80);
  CHECK(is_valid_utf8(cut));
  CHECK(suggested_name("word word word word word word word word word word word word word word", "") ==
        "word word word word word word word word word word word word");
}

}  // namespace attnscope::folder_test
