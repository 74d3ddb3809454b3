#include "core/files/formats/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::safetensors_test {

using attnscope::test::bytes_of;
using attnscope::test::is_sentence;
using attnscope::test::message_of;
using attnscope::test::TemporaryDirectory;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string number_bytes(auto value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// A well-formed file with any header.
std::string file_bytes(std::string_view header, std::string_view data = {}) {
  return number_bytes(static_cast<std::uint64_t>(header.size())) + std::string(header) + std::string(data);
}

std::string refusal(const std::filesystem::path& path) {
  return message_of<Error>([&] { SafetensorsFile file(path); });
}

/// The values of one tensor of a file with nothing else in it.
template <class T = float>
std::vector<T> values_of(const TemporaryDirectory& directory, const std::string& dtype,
                         const std::string& data, std::size_t count) {
  const std::string header = R"({"x":{"dtype":")" + dtype + R"(","shape":[)" + std::to_string(count) +
                             R"(],"data_offsets":[0,)" + std::to_string(data.size()) + "]}}";
  const auto path = directory.write("values.safetensors", file_bytes(header, data));
  const SafetensorsFile file(path);
  const TensorOf<T> tensor = to_tensor<T>(*file.find("x"), path);
  return {tensor.values().begin(), tensor.values().end()};
}

}  // namespace

TEST_CASE("the shared files get the reference reader's verdict", "[safetensors]") {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_SHARED) / "vectors/safetensors_files";
  if (!std::filesystem::exists(folder)) SKIP("there is no " << folder);
  const nlohmann::json index = nlohmann::json::parse(bytes_of(folder / "index.json"));
  REQUIRE(index["files"].size() == 36);
  for (const auto& [name, verdict] : index["files"].items()) {
    INFO(name);
    const auto path = folder / (name + ".safetensors");
    const std::string message = refusal(path);
    CHECK(message.empty() == verdict["ok"].get<bool>());
    if (!message.empty()) {
      CHECK(is_sentence(message));
      CHECK_THAT(message, ContainsSubstring(path.native()));
      continue;
    }
    const SafetensorsFile file(path);
    std::vector<std::string> names;
    for (const TensorEntry& entry : file.tensors()) names.push_back(entry.name);
    CHECK(names == verdict["tensors"].get<std::vector<std::string>>());
  }
}

TEST_CASE("hostile headers are refused in words", "[safetensors]") {
  struct Case {
    std::string header, data, expected;
  };
  const std::string four(4, '\0'), eight(8, '\0');
  const std::vector<Case> cases{
      {"", "", "not valid JSON"},
      {"[]", "", "an array"},
      {"{", "", "not valid JSON"},
      {"{}{}", "", "not valid JSON"},
      {"\xEF\xBB\xBF{}", "", "byte order mark"},
      {"{\"\xff\":1}", "", "not valid JSON"},
      {R"({"a":1})", "", "\"a\" is the number 1"},
      {R"({"a":{}})", "", "no dtype"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", four, "no data_offsets"},
      {R"({"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}})", four, "\"F33\""},
      {R"({"a":{"dtype":7,"shape":[1],"data_offsets":[0,4]}})", four, "the number 7"},
      {R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", four, "the number 1 as its shape"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", four, "-1"},
      {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", four, "1.0"},
      {R"({"a":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}})", four, "an array in its shape"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", four, "expected 8"},
      {R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", "x", "whole number"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", four, "fewer than two"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}})", four, "more than two"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", four, "[4, 0]"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", four, "within 4 bytes"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", eight, "begins at byte 4, expected 0"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", eight,
       "holds 8 bytes of data, expected 4"},
      {R"({"a":{"dtype":"F32","shape":[9223372036854775808,0],"data_offsets":[0,0]}})", "",
       "9223372036854775808"},
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904,4,0],"data_offsets":[0,0]}})", "",
       "no file can hold"},
      {R"({"a":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})", four, "key \"shape\" twice"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})",
       four, "tensor \"a\" twice"},
      {R"({"__metadata__":{"k":1}})", "", "expected a string"},
      {R"({"__metadata__":{"k":"1","k":"2"}})", "", "twice"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":)" + std::string(100, '[') +
           std::string(100, ']') + "}}",
       four, "deeper"},
  };
  const TemporaryDirectory directory;
  for (const Case& hostile : cases) {
    INFO(hostile.header);
    const auto path = directory.write("hostile.safetensors", file_bytes(hostile.header, hostile.data));
    const std::string message = refusal(path);
    CHECK_THAT(message, ContainsSubstring(hostile.expected) && ContainsSubstring("hostile.safetensors"));
    CHECK(is_sentence(message));
  }
}

TEST_CASE("lengths are checked before anything is read", "[safetensors]") {
  const TemporaryDirectory directory;
  CHECK_THAT(refusal(directory.write("empty", "")), ContainsSubstring("0 bytes"));
  CHECK_THAT(refusal(directory.write("seven", "1234567")), ContainsSubstring("7 bytes"));
  CHECK_THAT(refusal(directory.write("huge", std::string(8, '\xff') + "{}")),
             ContainsSubstring("18446744073709551615"));
  CHECK_THAT(refusal(directory.write("past", number_bytes(std::uint64_t{3}) + "{}")),
             ContainsSubstring("at most 2"));
  CHECK_THAT(refusal(directory.write("text.txt", "just a sentence, nothing more")),
             ContainsSubstring("not a safetensors"));
}

TEST_CASE("what is no readable file is refused with the system's reason", "[safetensors]") {
  const TemporaryDirectory directory;
  CHECK_THAT(refusal(directory / "missing"), ContainsSubstring("No such file"));
  CHECK_THAT(refusal(directory.path()), ContainsSubstring("directory"));
  REQUIRE(::mkfifo((directory / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(refusal(directory / "pipe"), ContainsSubstring("pipe"));
  if (::geteuid() != 0) {  // root can read every file
    const auto path = directory.write("secret", file_bytes("{}"));
    REQUIRE(::chmod(path.c_str(), 0) == 0);
    CHECK_THAT(refusal(path), ContainsSubstring("Permission denied"));
  }
}

TEST_CASE("a file that shrinks while it is open is an error, not a signal", "[safetensors]") {
  const TemporaryDirectory directory;
  const auto path =
      directory.write("a", file_bytes(R"({"a":{"dtype":"U8","shape":[20000],"data_offsets":[0,20000]}})",
                                      std::string(20000, 'x')));
  const SafetensorsFile file(path);
  REQUIRE(::truncate(path.c_str(), 100) == 0);
  CHECK_THROWS_WITH(file.find("a"), ContainsSubstring("shorter"));
}

TEST_CASE("values of every type are converted", "[safetensors]") {
  const TemporaryDirectory directory;
  using Floats = std::vector<float>;
  CHECK(values_of(directory, "F32", number_bytes(1.5f) + number_bytes(-0.25f), 2) == Floats{1.5f, -0.25f});
  CHECK(values_of(directory, "F64", number_bytes(0.1), 1) == Floats{0.1f});
  CHECK(values_of<double>(directory, "F64", number_bytes(0.1), 1) == std::vector<double>{0.1});
  CHECK(values_of(directory, "BOOL", std::string("\0\1", 2), 2) == Floats{0, 1});
  CHECK(values_of(directory, "U8", "\xff", 1) == Floats{255});
  CHECK(values_of(directory, "I8", "\xff", 1) == Floats{-1});
  CHECK(values_of(directory, "I16", number_bytes(std::int16_t{-300}), 1) == Floats{-300});
  CHECK(values_of(directory, "U16", number_bytes(std::uint16_t{65535}), 1) == Floats{65535});
  CHECK(values_of(directory, "I32", number_bytes(std::int32_t{-70000}), 1) == Floats{-70000});
  CHECK(values_of(directory, "U32", number_bytes(std::uint32_t{3'000'000'000}), 1) == Floats{3e9f});
  CHECK(values_of(directory, "I64", number_bytes(std::int64_t{-5}), 1) == Floats{-5});
  CHECK(values_of<double>(directory, "U64", number_bytes(~std::uint64_t{0}), 1) ==
        std::vector<double>{0x1p64});
  CHECK_THROWS_WITH(values_of(directory, "F8_E4M3", "x", 1),
                    ContainsSubstring("F8_E4M3") && ContainsSubstring("\"x\""));
  CHECK_THROWS_WITH(values_of(directory, "F4", "x", 2), ContainsSubstring("F4"));
}

TEST_CASE("all 65536 half floats and brain floats are exact", "[safetensors]") {
  const TemporaryDirectory directory;
  std::string data;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) data += number_bytes(static_cast<std::uint16_t>(bits));
  const std::vector<float> half = values_of(directory, "F16", data, 65536);
  const std::vector<double> brain = values_of<double>(directory, "BF16", data, 65536);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double sign = bits >= 0x8000 ? -1 : 1;
    const auto expected = [&](int exponent_bits, int mantissa_bits) {
      const int exponent = static_cast<int>(bits & 0x7fff) >> mantissa_bits,
                bias = (1 << (exponent_bits - 1)) - 1;
      const double mantissa = static_cast<double>(bits & ((1u << mantissa_bits) - 1));
      if (exponent == (1 << exponent_bits) - 1) {
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
      }
      const double leading = exponent == 0 ? 0 : std::ldexp(1, mantissa_bits);
      return sign * std::ldexp(leading + mantissa, std::max(exponent, 1) - bias - mantissa_bits);
    };
    const auto same = [](double a, double b) {
      return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
    };
    REQUIRE(same(expected(5, 10), static_cast<double>(half[bits])));
    REQUIRE(same(expected(8, 7), brain[bits]));
  }
}

TEST_CASE("tensors of more dimensions than can be shown are listed but not converted", "[safetensors]") {
  const TemporaryDirectory directory;
  const auto path = directory.write(
      "six", file_bytes(R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1],"data_offsets":[0,1]}})", "x"));
  const SafetensorsFile file(path);
  CHECK_THROWS_WITH(to_tensor<float>(*file.find("a"), path), ContainsSubstring("6 dimensions"));
  CHECK(file.find("b") == nullptr);
}

}  // namespace attnscope::safetensors_test
