// Zip archives that are written are those that the reader for NPZ files takes, which trusts nothing.
#include "core/files/archives/zip_writer.hpp"

#include <span>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/files/archives/zip.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::zip_writer_test {

TEST_CASE("a written zip archive is read back with its names, bytes and checksums") {
  const std::string long_text(70'000, 'x');
  const std::vector<ZipFile> files{{"imsmanifest.xml", "<a/>"},
                                   {"items/empty.xml", ""},
                                   {"items/long.xml", long_text},
                                   {"bytes", std::string("\0\xFF\n", 3)}};
  const std::string archive = zip_archive(files);
  const test::TemporaryDirectory directory;
  const MappedFile file(directory.write("a.zip", archive));
  const std::vector<ZipEntry> entries = read_zip(file);
  REQUIRE(entries.size() == files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    INFO(files[i].name);
    CHECK(entries[i].name == files[i].name);
    CHECK(entries[i].method == 0);
    REQUIRE(entries[i].size == files[i].bytes.size());
    const auto bytes =
        file.bytes().subspan(static_cast<std::size_t>(entries[i].begin), files[i].bytes.size());
    CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == files[i].bytes);
    CHECK_NOTHROW(check_stored(file, entries[i], nullptr));
  }
  CHECK(zip_archive(files) == archive);
}

TEST_CASE("the archive without files, and a name that is too long for the format") {
  // The end record alone: its mark and eighteen zeros.
  CHECK(zip_archive({}) == std::string("PK\5\6") + std::string(18, '\0'));
  const std::vector<ZipFile> files{{std::string(65'536, 'n'), ""}};
  CHECK_THROWS_AS(zip_archive(files), Error);
}

}  // namespace attnscope::zip_writer_test
