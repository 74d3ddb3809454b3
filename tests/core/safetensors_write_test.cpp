#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::safetensors_write_test {

using attnscope::test::bytes_of;
using attnscope::test::is_sentence;
using attnscope::test::message_of;
using attnscope::test::TemporaryDirectory;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("what is written is read back", "[safetensors]") {
  const TemporaryDirectory directory;
  const auto path = directory / "out.safetensors";
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor matrix({2, 3}, {1, -2, 0.1f, -infinity, std::nanf(""), 1e-45f}), scalar(Shape{}, {7}),
      none({0, 4});
  const std::array tensors{NamedTensor{"W \"q\"\n", &matrix}, NamedTensor{"s", &scalar},
                           NamedTensor{"none", &none}};
  write_safetensors(path, tensors);

  CHECK(std::filesystem::file_size(path) % 4 == 0);
  const SafetensorsFile file(path);
  REQUIRE(file.tensors().size() == 3);
  const TensorEntry* entry = file.find("W \"q\"\n");
  REQUIRE(entry != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(entry->bytes.data()) % 8 == 0);
  const Tensor back = to_tensor<float>(*entry, path);
  CHECK(back.shape() == matrix.shape());
  CHECK(std::memcmp(back.data(), matrix.data(), matrix.values().size_bytes()) == 0);
  CHECK(to_tensor<float>(*file.find("s"), path) == scalar);
  CHECK(to_tensor<float>(*file.find("none"), path).shape() == none.shape());
}

TEST_CASE("values are written in the type asked for, rounded once to nearest even", "[safetensors]") {
  struct Case {
    double value;
    std::uint16_t half, brain;
  };
  const double infinity = std::numeric_limits<double>::infinity(), tiny = 0x1p-60;
  const std::vector<Case> cases{
      {0, 0x0000, 0x0000},
      {-0.0, 0x8000, 0x8000},
      {-1.5, 0xbe00, 0xbfc0},
      {infinity, 0x7c00, 0x7f80},
      {-infinity, 0xfc00, 0xff80},
      {65504, 0x7bff, 0x4780},
      {65519.999, 0x7bff, 0x4780},
      {65520, 0x7c00, 0x4780},  // half of the last step above the largest half float
      {-1e39, 0xfc00, 0xff80},
      {0x1.fep127, 0x7c00, 0x7f7f},
      {0x1.ffp127, 0x7c00, 0x7f80},
      {1 + 0x1p-11, 0x3c00, 0x3f80},  // the middle goes to the even neighbour,
      {1 + 0x3p-11, 0x3c02, 0x3f80},
      {1 + 0x1p-11 + tiny * 0x1p10, 0x3c01, 0x3f80},  // a double next to it, the same as a float, does not
      {1 + 0x1p-8 + 0x1p-40, 0x3c04, 0x3f81},
      {1 + 0x3p-8 - 0x1p-40, 0x3c0c, 0x3f81},
      {0x1p-24, 0x0001, 0x3380},  // the smallest half float
      {0x1p-25, 0x0000, 0x3300},
      {0x1p-25 + tiny, 0x0001, 0x3300},
      {-0x3ffp-24, 0x83ff, 0xb880},
      {0x1p-133, 0x0000, 0x0001},  // the smallest brain float
      {0x1p-134, 0x0000, 0x0000},
      {-0x1.8p-134, 0x8000, 0x8001},
      {5e-324, 0x0000, 0x0000},
      {-5e-324, 0x8000, 0x8000},
  };
  TensorOf<double> values({std::ssize(cases)});
  for (std::size_t i = 0; i < cases.size(); ++i) values.values()[i] = cases[i].value;
  Tensor floats({std::ssize(cases)});
  std::ranges::transform(values.values(), floats.data(),
                         [](double value) { return static_cast<float>(value); });

  const TemporaryDirectory directory;
  const auto path = directory / "out.safetensors";
  const std::array tensors{NamedTensor{"half", &values, DType::F16},
                           NamedTensor{"brain", &values, DType::BF16},
                           NamedTensor{"float", &values},
                           NamedTensor{"double", &values, DType::F64},
                           NamedTensor{"half of float", &floats, DType::F16},
                           NamedTensor{"brain of float", &floats, DType::BF16},
                           NamedTensor{"double of float", &floats, DType::F64}};
  write_safetensors(path, tensors);
  const SafetensorsFile file(path);
  const auto bits = [&](std::string_view name, std::size_t i) {
    std::uint16_t value;
    std::memcpy(&value, file.find(name)->bytes.data() + 2 * i, 2);
    return value;
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].value);
    CHECK(bits("half", i) == cases[i].half);
    CHECK(bits("brain", i) == cases[i].brain);
    if (static_cast<double>(floats.data()[i]) != cases[i].value) continue;
    CHECK(bits("half of float", i) == cases[i].half);
    CHECK(bits("brain of float", i) == cases[i].brain);
  }
  CHECK(to_tensor<double>(*file.find("double"), path) == values);
  CHECK(to_tensor<float>(*file.find("float"), path) == floats);
  CHECK(to_tensor<float>(*file.find("double of float"), path) == floats);
}

TEST_CASE("all half floats and brain floats survive being written", "[safetensors]") {
  const TemporaryDirectory directory;
  const auto path = directory / "out.safetensors";
  std::vector<std::uint16_t> all(65536);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  const std::span<const std::byte> data = std::as_bytes(std::span(all));
  for (const DType dtype : {DType::F16, DType::BF16}) {
    Tensor tensor({65536});
    TensorOf<double> wide({65536});
    decode(dtype, data, std::endian::little, tensor.values());
    decode(dtype, data, std::endian::little, wide.values());
    write_safetensors(path, std::array{NamedTensor{"x", &tensor, dtype}, NamedTensor{"wide", &wide, dtype}});
    const SafetensorsFile file(path);
    for (const char* const written : {"x", "wide"}) {
      const std::span<const std::byte> bytes = file.find(written)->bytes;
      const Tensor back = to_tensor<float>(*file.find(written), path);
      for (std::size_t i = 0; i < 65536; ++i) {
        INFO(to_string(dtype) << " " << i);
        if (std::isnan(tensor.data()[i])) {
          REQUIRE(std::isnan(back.data()[i]));
        } else {
          REQUIRE(std::memcmp(bytes.data() + 2 * i, data.data() + 2 * i, 2) == 0);
        }
      }
    }
  }
}

TEST_CASE("tensors lie aligned and metadata is kept", "[safetensors]") {
  const TemporaryDirectory directory;
  const auto path = directory / "out.safetensors";
  const Tensor three({3}, {1, 2, 3});
  const std::array tensors{NamedTensor{"a", &three, DType::F16}, NamedTensor{"b", &three},
                           NamedTensor{"c", &three, DType::F64}, NamedTensor{"d", &three, DType::BF16}};
  const std::map<std::string, std::string> metadata{{"format", "pt"}, {"a \"key\"\n", ""}};
  write_safetensors(path, tensors, metadata);
  const SafetensorsFile file(path);
  CHECK(file.metadata() == metadata);
  std::vector<std::string> names;
  for (const TensorEntry& entry : file.tensors()) {
    names.push_back(entry.name);
    CHECK(reinterpret_cast<std::uintptr_t>(entry.bytes.data()) % (bit_size(entry.dtype) / 8) == 0);
    CHECK(to_tensor<float>(entry, path) == three);
  }
  CHECK(names == std::vector<std::string>{"c", "b", "a", "d"});
  write_safetensors(path, {}, metadata);
  CHECK(SafetensorsFile(path).metadata() == metadata);
}

TEST_CASE("what no reader could take back is not written", "[safetensors]") {
  const TemporaryDirectory directory;
  const auto path = directory / "out.safetensors";
  const Tensor scalar(Shape{}, {7});
  const auto refused = [&](std::vector<NamedTensor> tensors,
                           std::map<std::string, std::string> metadata = {}) {
    const std::string message = message_of<Error>([&] { write_safetensors(path, tensors, metadata); });
    CHECK(is_sentence(message));
    CHECK_THAT(message, ContainsSubstring("out.safetensors"));
    return message;
  };
  CHECK_THAT(refused({{"a", &scalar}, {"a", &scalar}}), ContainsSubstring("\"a\""));
  CHECK_THAT(refused({{"__metadata__", &scalar}}), ContainsSubstring("\"__metadata__\""));
  CHECK_THAT(refused({{"\xff", &scalar}}), ContainsSubstring("\\xff"));
  CHECK_THAT(refused({{"a", &scalar, DType::I8}}), ContainsSubstring("\"a\" has dtype I8, expected F16"));
  CHECK_THAT(refused({{"a", &scalar, DType::F8E4M3}}), ContainsSubstring("F8_E4M3"));
  CHECK_THAT(refused({}, {{"k", "\xff"}}), ContainsSubstring("metadata \"k\""));
  CHECK(directory.entries() == 0);
}

TEST_CASE("a file is replaced whole or not at all", "[safetensors]") {
  const TemporaryDirectory directory;
  const auto path = directory.write("kept", "the old bytes");
  const std::array<std::string_view, 2> pieces{"the new ", "bytes"};

  SECTION("success follows the umask and leaves nothing beside it") {
    const mode_t before = ::umask(027);
    write_atomically(path, pieces);
    ::umask(before);
    CHECK(bytes_of(path) == "the new bytes");
    CHECK(directory.entries() == 1);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);
  }
  SECTION("a full disk leaves the old file") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 8;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const std::string message = message_of<Error>([&] { write_atomically(path, pieces); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK_THAT(message, ContainsSubstring("kept") && ContainsSubstring("too large"));
    CHECK(bytes_of(path) == "the old bytes");
    CHECK(directory.entries() == 1);
  }
  SECTION("a link stays a link") {
    std::filesystem::create_symlink("kept", directory / "link");
    write_atomically(directory / "link", pieces);
    CHECK(std::filesystem::is_symlink(directory / "link"));
    CHECK(bytes_of(path) == "the new bytes");
  }
  SECTION("a link to a file that is not there yet makes that file") {
    std::filesystem::create_directory(directory / "runs");
    std::filesystem::create_symlink("runs/newest", directory / "link");
    std::filesystem::create_symlink("seven", directory / "runs/newest");
    write_atomically(directory / "link", pieces);
    CHECK(std::filesystem::is_symlink(directory / "link"));
    CHECK(std::filesystem::is_symlink(directory / "runs/newest"));
    CHECK(bytes_of(directory / "runs/seven") == "the new bytes");
  }
  SECTION("links in a circle stay and are named") {
    std::filesystem::create_symlink("circle", directory / "circle");
    CHECK_THAT(message_of<Error>([&] { write_atomically(directory / "circle", pieces); }),
               ContainsSubstring("circle\": its links"));
    CHECK(std::filesystem::is_symlink(directory / "circle"));
  }
  SECTION("the longest name there can be is no hindrance") {
    const auto longest = directory / std::string(255, 'n');
    write_atomically(longest, pieces);
    CHECK(bytes_of(longest) == "the new bytes");
  }
  SECTION("what is no file is left alone") {
    CHECK_THAT(message_of<Error>([&] { write_atomically(directory.path(), pieces); }),
               ContainsSubstring("directory"));
    CHECK_THAT(message_of<Error>([&] { write_atomically("/dev/null", pieces); }),
               ContainsSubstring("device"));
    CHECK_THAT(message_of<Error>([&] { write_atomically(directory / "no/such", pieces); }),
               ContainsSubstring("No such file"));
    CHECK(std::filesystem::is_character_file("/dev/null"));
  }
}

}  // namespace attnscope::safetensors_write_test
