// A Git LFS pointer is named as such, whatever kind of file it stands for.
#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/mapped_file.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lfs_pointer_test {

using test::message_of;

TEST_CASE("a Git LFS pointer is refused by its name", "[posix]") {
  const test::TemporaryDirectory folder;
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258\n"
      "size 12345\n";
  folder.write("model.safetensors", pointer);
  const std::filesystem::path path = folder.path() / "model.safetensors";
  const std::string expected = "\"" + path.string() + "\" is a Git LFS pointer of " +
                               std::to_string(pointer.size()) +
                               " bytes, not the file itself: \"git lfs pull\" fetches it.";
  CHECK(message_of<Error>([&] { SafetensorsFile file(path); }) == expected);
  CHECK(message_of<Error>([&] { MappedFile file(path); }) == expected);
  CHECK(message_of<Error>([&] { read_whole(path, 1 << 20); }) == expected);
}

TEST_CASE("a text that speaks of Git LFS is a text", "[posix]") {
  const test::TemporaryDirectory folder;
  const std::string begin = "version https://git-lfs.github.com/spec/";
  for (const std::string& text : {"See " + begin, begin.substr(1), begin + std::string(2000, ' ')}) {
    folder.write("a.txt", text);
    CHECK(read_whole(folder.path() / "a.txt", 1 << 20) == text);
  }
}

}  // namespace attnscope::lfs_pointer_test
