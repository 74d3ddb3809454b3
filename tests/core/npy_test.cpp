#include "core/files/formats/npy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::npy_test {

using attnscope::test::bytes_of;
using attnscope::test::is_sentence;
using attnscope::test::message_of;
using attnscope::test::TemporaryDirectory;
using Catch::Matchers::ContainsSubstring;

namespace {

using Doubles = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The bytes of the values one after another, each value's bytes reversed on request.
template <class Stored>
std::string data_of(const std::vector<Stored>& values, bool reversed = false) {
  std::string data;
  for (const Stored& value : values) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    if (reversed) std::reverse(bytes.begin(), bytes.end());
    data += bytes;
  }
  return data;
}

/// A well-formed file of the given version, with any header.
std::string file_bytes(std::string_view header, std::string_view data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte) {
    bytes += static_cast<char>(header.size() >> (8 * byte) & 0xff);
  }
  return bytes.append(header).append(data);
}

std::string header_of(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

Doubles values_of(const TensorOf<double>& tensor) { return {tensor.values().begin(), tensor.values().end()}; }

/// The values of a file of one dimension.
template <class Stored>
Doubles values_as(const TemporaryDirectory& directory, const std::string& descr,
                  const std::vector<Stored>& values) {
  const std::string header = header_of(descr, "(" + std::to_string(values.size()) + ",)");
  const auto path = directory.write("a.npy", file_bytes(header, data_of(values, descr[0] == '>')));
  const TensorOf<double> tensor = read_npy<double>(path);
  CHECK(tensor.shape() == Shape{static_cast<std::int64_t>(values.size())});
  const Tensor floats = read_npy<float>(path);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float expected = static_cast<float>(tensor.values()[i]);
    CHECK((floats.values()[i] == expected || std::isnan(expected)));
  }
  return values_of(tensor);
}

std::string refusal(const std::filesystem::path& path) {
  const std::string message = message_of<Error>([&] { read_npy<float>(path); });
  CHECK(is_sentence(message));
  CHECK_THAT(message, ContainsSubstring(path.filename().native()));
  return message;
}

}  // namespace

TEST_CASE("arrays of every type and byte order are read", "[npy]") {
  const TemporaryDirectory directory;
  for (const std::string order : {"<", ">", "=", "|"}) {
    INFO(order);
    CHECK(values_as<std::uint8_t>(directory, order + "b1", {0, 1, 255}) == Doubles{0, 1, 1});
    CHECK(values_as<std::int8_t>(directory, order + "i1", {-128, 127}) == Doubles{-128, 127});
    CHECK(values_as<std::uint8_t>(directory, order + "u1", {0, 255}) == Doubles{0, 255});
    CHECK(values_as<std::int16_t>(directory, order + "i2", {-300, 32767}) == Doubles{-300, 32767});
    CHECK(values_as<std::uint16_t>(directory, order + "u2", {1, 65535}) == Doubles{1, 65535});
    CHECK(values_as<std::int32_t>(directory, order + "i4", {-70000, 2}) == Doubles{-70000, 2});
    CHECK(values_as<std::uint32_t>(directory, order + "u4", {3'000'000'001}) == Doubles{3'000'000'001});
    CHECK(values_as<std::int64_t>(directory, order + "i8", {-5, 1LL << 40}) == Doubles{-5, 0x1p40});
    CHECK(values_as<std::uint64_t>(directory, order + "u8", {~0ULL, 7}) == Doubles{0x1p64, 7});
    CHECK(values_as<std::uint16_t>(directory, order + "f2", {0x3c00, 0xfc00, 0x0001, 0x7bff}) ==
          Doubles{1, -infinity, 0x1p-24, 65504});
    CHECK(values_as<float>(directory, order + "f4", {0.1f, -1e-45f}) == Doubles{0.1f, -1e-45f});
    CHECK(values_as<double>(directory, order + "f8", {0.1, infinity}) == Doubles{0.1, infinity});
    CHECK(std::isnan(values_as<double>(directory, order + "f8", {std::nan("")})[0]));
    CHECK(std::isnan(values_as<std::uint16_t>(directory, order + "f2", {0x7e01})[0]));
  }
}

TEST_CASE("arrays in Fortran order come back row-major", "[npy]") {
  const TemporaryDirectory directory;
  const auto read = [&](const std::string& shape, const std::vector<std::int8_t>& values) {
    return read_npy<double>(
        directory.write("f.npy", file_bytes(header_of("|i1", shape, true), data_of(values))));
  };
  CHECK(read("(2, 3)", {1, 4, 2, 5, 3, 6}) == TensorOf<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(read("(3,)", {1, 2, 3}) == TensorOf<double>({3}, {1, 2, 3}));
  CHECK(read("()", {9}) == TensorOf<double>(Shape{}, {9}));
  CHECK(read("(2, 0, 3)", {}) == TensorOf<double>({2, 0, 3}, {}));

  // Every element holds its own index.
  const std::int64_t a = 2, b = 3, c = 4, d = 2, e = 2;
  std::vector<std::int8_t> stored(static_cast<std::size_t>(a * b * c * d * e));
  for (std::int64_t place = 0; place < std::ssize(stored); ++place) {
    std::int64_t rest = place, fortran = 0, stride = 1;
    std::int64_t index[5];
    const std::int64_t sizes[5]{a, b, c, d, e};
    for (int axis = 4; axis >= 0; --axis) {
      index[axis] = rest % sizes[axis];
      rest /= sizes[axis];
    }
    for (int axis = 0; axis < 5; ++axis) {
      fortran += index[axis] * stride;
      stride *= sizes[axis];
    }
    stored[static_cast<std::size_t>(fortran)] = static_cast<std::int8_t>(place);
  }
  const TensorOf<double> tensor = read("(2, 3, 4, 2, 2)", stored);
  CHECK(tensor.shape() == Shape{2, 3, 4, 2, 2});
  for (std::int64_t i = 0; i < tensor.size(); ++i) REQUIRE(tensor.data()[i] == static_cast<double>(i));
}

TEST_CASE("headers are read however they are written", "[npy]") {
  const TemporaryDirectory directory;
  const std::string data = data_of<float>({1, 2, 3, 4, 5, 6});
  const TensorOf<float> expected({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<std::string> headers{
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }        \n",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
      "{\"shape\":(2,3,),\"descr\":\"<f4\",\"fortran_order\":False}\n",
      "  { 'fortran_order' :\n False ,\t'shape' : ( 2 , 3 ) , 'descr' : '<f4' , } \n",
  };
  for (const std::string& header : headers) {
    for (const int version : {1, 2, 3}) {
      INFO(header << version);
      CHECK(read_npy<float>(directory.write("a.npy", file_bytes(header, data, version))) == expected);
    }
  }
  const auto scalar = directory.write("s.npy", file_bytes(header_of("<f8", "()"), data_of<double>({0.5})));
  CHECK(read_npy<double>(scalar) == TensorOf<double>(Shape{}, {0.5}));
  const auto empty =
      directory.write("e.npy", file_bytes(header_of("<f8", "(4611686018427387904, 8, 0)"), ""));
  CHECK(read_npy<float>(empty).shape() == Shape{4611686018427387904, 8, 0});
}

TEST_CASE("hostile arrays are refused in words", "[npy]") {
  struct Case {
    std::string header, expected;
  };
  const std::vector<Case> cases{
      {"", "its end at byte 0, expected '{'"},
      {"[]", "\"[\" at byte 0, expected '{'"},
      {"{", "its end at byte 1, expected one of the keys"},
      {"{}", "no 'descr'"},
      {"{'descr': '<f4', 'shape': (1,)}", "no 'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False}", "no 'shape'"},
      {"{'descr': '<f4', 'descr': '<f4'}", "the key 'descr' twice"},
      {"{'shape': (1,), 'shape': (1,)}", "the key 'shape' twice"},
      {"{'fortran_order': True, 'fortran_order': True}", "the key 'fortran_order' twice"},
      {"{'extra': 1}", "the key \"extra\""},
      {"{'descr' '<f4'}", "expected ':'"},
      {"{,}", "expected one of the keys"},
      {"{'descr': '<f4' 'shape': (1,)}", "expected ',' or '}'"},
      {"{'descr': '<f4", "its end at byte 14, expected the end of a string"},
      {"{'descr': '<f4\"}", "expected the end of a string"},
      {"{'descr': '\\x3cf4'}", "expected the end of a string"},
      {"{'descr': '<f\xc3\xa9'}", "expected the end of a string"},
      {"{'descr': 4}", "expected a string like '<f4'"},
      {"{'descr': None}", "expected a string like '<f4'"},
      {"{'descr': ''}", "dtype \"\""},
      {"{'descr': 'f4'}", "dtype \"f4\", expected bool, an integer or one of f2, f4, f8"},
      {"{'descr': '<'}", "dtype \"<\""},
      {"{'descr': '<f'}", "dtype \"<f\""},
      {"{'descr': '<f44'}", "dtype \"<f44\""},
      {"{'descr': '<f16'}", "dtype \"<f16\" (a float of another size)"},
      {"{'descr': '<c8'}", "dtype \"<c8\" (complex numbers)"},
      {"{'descr': '|O'}", "dtype \"|O\" (objects)"},
      {"{'descr': '|S5'}", "dtype \"|S5\" (byte strings)"},
      {"{'descr': '<U5'}", "dtype \"<U5\" (strings)"},
      {"{'descr': '|V2'}", "dtype \"|V2\" (raw bytes)"},
      {"{'descr': '<M8[ns]'}", "dtype \"<M8[ns]\" (dates)"},
      {"{'descr': '<m8[s]'}", "dtype \"<m8[s]\" (durations)"},
      {"{'descr': '|b8'}", "dtype \"|b8\""},
      {"{'descr': [('x', '<f4')]}", "a structured dtype"},
      {"{'descr': ('<f4', (2,))}", "a structured dtype"},
      {"{'fortran_order': false}", "expected True or False"},
      {"{'fortran_order': 0}", "expected True or False"},
      {"{'fortran_order': Truely}", "expected ',' or '}'"},
      {"{'shape': 3}", "expected '('"},
      {"{'shape': [3]}", "expected '('"},
      {"{'shape': (3)}", "expected ','"},
      {"{'shape': (,)}", "expected a whole number"},
      {"{'shape': (3,,)}", "expected a whole number"},
      {"{'shape': (3 4)}", "expected ','"},
      {"{'shape': (3, 4", "its end at byte 15, expected ',' or ')'"},
      {"{'shape': (3.0,)}", "expected ','"},
      {"{'shape': (03,)}", "\"0\" at byte 11, expected a whole number"},
      {"{'shape': (1_0,)}", "expected ','"},
      {"{'shape': (True,)}", "expected a whole number"},
      {"{'shape': (-1,)}", "a dimension of -1"},
      {"{'shape': (-0,)}", "a dimension of -0"},
      {"{'shape': (9223372036854775808,)}", "a dimension of 9223372036854775808"},
      {"{'shape': (" + std::string(500, '9') + ",)}", "a dimension of 999"},
      {"{'shape': (4611686018427387904, 4)}", "[4611686018427387904, 4], which no file can hold"},
      {"{'shape': (1152921504606846976,)}", "which no file can hold"},
      {"{'shape': (1, 1, 1, 1, 1, 1)}", "6 dimensions, expected at most 5"},
      {header_of("<f4", "(1,)") + "\n", "expected nothing more"},
      {header_of("<f4", "(1,)") + " ", "expected nothing more"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
       "\"x\" at byte 56, expected nothing more"},
      {std::string("{\0}", 3), "expected one of the keys"},
      {header_of("<f4", "(2,)"), "holds 4 bytes of data, expected 8 for F32 of shape [2]"},
      {header_of("<f8", "()"), "holds 4 bytes of data, expected 8"},
      {header_of("<f2", "(1,)"), "holds 4 bytes of data, expected 2"},
      {header_of("<f4", "(0,)"), "holds 4 bytes of data, expected 0"},
      {header_of("<f8", "(1152921504606846975,)"), "holds 4 bytes of data, expected 9223372036854775800"},
  };
  const TemporaryDirectory directory;
  for (const Case& hostile : cases) {
    INFO(hostile.header);
    CHECK_THAT(refusal(directory.write("hostile.npy", file_bytes(hostile.header, "data"))),
               ContainsSubstring(hostile.expected));
  }
}

TEST_CASE("magic, version and lengths are checked before anything is read", "[npy]") {
  const TemporaryDirectory directory;
  const std::string good = file_bytes(header_of("<f4", "(1,)"), "data");
  CHECK(read_npy<float>(directory.write("good.npy", good)).size() == 1);
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(length);
    CHECK_FALSE(refusal(directory.write("cut.npy", good.substr(0, length))).empty());
  }
  CHECK_THAT(refusal(directory.write("empty.npy", "")), ContainsSubstring("begins with \"\""));
  CHECK_THAT(refusal(directory.write("zip.npy", "PK\3\4 and so on")), ContainsSubstring("\"PK"));
  CHECK_THAT(refusal(directory.write("magic.npy", "\x93NUMPY")), ContainsSubstring("it has 6 bytes"));
  for (const std::string version : {"\x04", "\xff"}) {
    std::string other = good;
    other[6] = version[0];
    CHECK_THAT(refusal(directory.write("version.npy", other)), ContainsSubstring("expected 1.0, 2.0 or 3.0"));
  }
  std::string minor = good;
  minor[7] = 1;
  CHECK_THAT(refusal(directory.write("minor.npy", minor)), ContainsSubstring("version 1.1"));
  const std::string start("\x93NUMPY\x02\0\xff\xff\xff\xff", 12);
  CHECK_THAT(refusal(directory.write("long.npy", start + std::string(100'000, ' '))),
             ContainsSubstring("a header of 4294967295 bytes, expected at most 65535"));
  CHECK_THAT(refusal(directory.write("past.npy", start + "{}")), ContainsSubstring("expected at most 2"));
}

TEST_CASE("what is no readable array is refused with the system's reason", "[npy]") {
  const TemporaryDirectory directory;
  CHECK_THAT(refusal(directory / "missing.npy"), ContainsSubstring("No such file"));
  CHECK_THAT(refusal(directory.path()), ContainsSubstring("directory"));
  REQUIRE(::mkfifo((directory / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(refusal(directory / "pipe"), ContainsSubstring("pipe"));
}

TEST_CASE("what is written is what numpy writes, and is read back", "[npy]") {
  const TemporaryDirectory directory;
  const auto path = directory / "out.npy";
  const Tensor matrix({2, 3}, {1, -2, 0.1f, -std::numeric_limits<float>::infinity(), std::nanf(""), 1e-45f});
  write_npy(path, matrix);
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string header = text + std::string(117 - text.size(), ' ') + "\n";
  CHECK(bytes_of(path) ==
        file_bytes(header, data_of<float>({matrix.values().begin(), matrix.values().end()})));
  const Tensor back = read_npy<float>(path);
  CHECK(back.shape() == matrix.shape());
  CHECK(std::memcmp(back.data(), matrix.data(), matrix.values().size_bytes()) == 0);

  for (const Shape& shape : {Shape{}, Shape{1}, Shape{0, 4}, Shape{3, 2, 2}, Shape{2, 1, 3, 1, 2}}) {
    INFO(to_string(shape));
    Tensor tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = static_cast<float>(i) + 0.5f;
    write_npy(path, tensor);
    CHECK((std::filesystem::file_size(path) - tensor.values().size_bytes()) % 64 == 0);
    CHECK(read_npy<float>(path) == tensor);
  }
  CHECK(directory.entries() == 1);
  CHECK_THROWS_WITH(write_npy(directory / "no/such.npy", matrix), ContainsSubstring("No such file"));
}

}  // namespace attnscope::npy_test
