// GGUF files: every type of value and tensor, the reference's files if present, and hostile ones.
#include "core/files/formats/gguf.hpp"

#include <cmath>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/gguf_samples.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::gguf_test {

using Catch::Matchers::ContainsSubstring;
using test::is_sentence;
using test::message_of;
using test::TemporaryDirectory;
using namespace gguf_samples;

namespace {

std::string refusal(const std::filesystem::path& path) {
  return message_of<Error>([&] { GgufFile file(path); });
}

struct Hostile {
  std::string bytes, expected;
};

std::vector<Hostile> hostile_heads() {
  const std::string good = GgufSample().bytes();
  GgufSample magic, first, newest, big, zero, entries, tensors, many;
  magic.magic = "GGML";
  first.version = 1;
  newest.version = 4;
  big.version = 0x03000000;
  zero.version = 0;
  entries.entries = 2;
  tensors.tensors = 1;
  many.tensors = many.entries = ~0ull;
  return {
      {"", "0 bytes, expected at least 24"},
      {"GGUF", "4 bytes"},
      {good.substr(0, 23), "23 bytes"},
      {magic.bytes(), "begins with \"GGML\", expected \"GGUF\""},
      {std::string(24, '\xff'), "begins with"},
      {first.bytes(), "version 1, expected 2 or 3"},
      {newest.bytes(), "version 4"},
      {zero.bytes(), "version 0"},
      {big.bytes(), "big-endian"},
      {entries.head(), "announces 2 metadata values, where 0 bytes are left"},
      {tensors.head(), "announces 1 tensors"},
      {many.bytes(), "announces 18446744073709551615 metadata values"},
      {entries.head() + std::string(26, '\0'), "lists the metadata \"\" twice"},
  };
}

std::vector<Hostile> hostile_metadata() {
  const auto with = [](std::string_view key, std::uint32_t type, std::string_view bytes) {
    return GgufSample().value(key, type, bytes).head();
  };
  const auto padded = [&](std::string_view key, std::uint32_t type, const std::string& bytes) {
    return with(key, type, bytes) + std::string(64, '\0');
  };
  GgufSample long_key, key_past, cut_key;
  long_key.value(std::string(65536, 'k'), U8, "1");
  key_past.entries = 1;
  key_past.metadata = u64(60000) + std::string(20, 'k');
  std::string nested = array(U8, {});
  for (int i = 0; i < 8; ++i) nested = array(ARRAY, {nested});
  const std::string one_nested_less = nested.substr(12);
  return {
      {long_key.head(), "a name of 65536 bytes, expected at most 65535"},
      {key_past.head(), "needs 60000 bytes"},
      {with("\xff", U8, "1"), "not valid UTF-8"},
      {padded("k", 13, ""), "\"k\" has a value of type 13, expected 0 to 12"},
      {padded("k", ~0u, ""), "type 4294967295"},
      {with("k", U32, "123"), "needs 4 bytes"},
      {with("k", F64, "1234567"), "needs 8 bytes"},
      {with("k", U8, ""), "needs 1 bytes"},
      {with("k", BOOL, "\2"), "a bool of 2, expected 0 or 1"},
      {with("k", STRING, u64(5) + "four"), "needs 5 bytes"},
      {with("k", STRING, u64(~0ull) + "four"), "needs 18446744073709551615 bytes"},
      {with("k", STRING, "abcd"), "needs 8 bytes"},
      {padded("k", ARRAY, u32(99) + u64(1)), "a value of type 99"},
      {padded("k", ARRAY, u32(U64) + u64(1ull << 61)),
       "announces 2305843009213693952 elements of type uint64"},
      {padded("k", ARRAY, u32(U8) + u64(65)), "announces 65 elements of type uint8, where 64 bytes"},
      {padded("k", ARRAY, u32(STRING) + u64(9)), "announces 9 elements of type string"},
      {padded("k", ARRAY, u32(ARRAY) + u64(6)), "announces 6 elements of type array"},
      {padded("k", ARRAY, array(STRING, {text("a"), u64(1000)})), "needs 1000 bytes"},
      {with("k", ARRAY, array(BOOL, {"\1", "\xff"})), "a bool of 255"},
      {with("k", ARRAY, u32(U8)), "needs 8 bytes"},
      {with("k", ARRAY, array(ARRAY, {nested})), "nests arrays deeper than 8 levels"},
      {GgufSample().value("k", U8, "1").value("k", U8, "2").head(), "lists the metadata \"k\" twice"},
      {with("general.alignment", U32, u32(0)), "\"general.alignment\" is 0, expected a power of two"},
      {with("general.alignment", U32, u32(48)), "is 48, expected a power of two"},
      {with("general.alignment", I32, le(std::int32_t{-32})), "is -32, expected"},
      {with("general.alignment", STRING, text("32")), "is a string, expected an integer"},
      {with("general.alignment", U64, u64(1ull << 32)), "is 4294967296"},
  };
}

std::vector<Hostile> hostile_tensors() {
  const std::string data(256, '\0');
  const auto with = [&](std::initializer_list<std::uint64_t> sizes, std::uint32_t type,
                        std::uint64_t offset) {
    GgufSample sample;
    sample.data = data;
    return sample.info("w", sizes, type, offset).bytes();
  };
  const auto two = [&](std::uint64_t first, std::uint64_t second) {
    GgufSample sample;
    sample.data = data;
    return sample.info("a", {16}, ggml_f32, first).info("b", {8}, ggml_f32, second).bytes();
  };
  GgufSample twice, name, cut, wide;
  twice.tensor("w", {1}, ggml_f32, "1234").tensor("w", {1}, ggml_f32, "1234");
  name.tensor("\xff\xfe", {1}, ggml_f32, "1234");
  cut.info("w", {4, 4}, ggml_f32, 0);
  wide.value("general.alignment", U32, u32(64)).info("w", {1}, ggml_f32, 32);
  wide.alignment = 64;
  wide.data = data;
  const std::string many = cut.head();
  return {
      {with({}, ggml_f32, 0), "\"w\" has 0 dimensions, expected 1 to 4"},
      {with({1, 1, 1, 1, 1}, ggml_f32, 0), "has 5 dimensions"},
      {with({1ull << 63}, ggml_f32, 0), "a dimension of 9223372036854775808, more than there can be"},
      {with({1ull << 40, 1ull << 40}, ggml_f32, 0), "more values than can be counted"},
      {with({1ull << 62}, ggml_f32, 0), "more bytes than can be counted"},
      {with({(1ull << 62) + 1, 1}, ggml_f16, 0), "bytes from byte 0 of the data on, which has 256 bytes"},
      {with({65}, ggml_f32, 0), "has 260 bytes from byte 0"},
      {with({1}, ggml_f32, 256), "has 4 bytes from byte 256"},
      {with({1}, ggml_f32, ~0ull - 31), "from byte 18446744073709551584"},
      {with({1}, ggml_f32, 4), "begins at byte 4 of the data, expected a multiple of 32"},
      {wide.bytes(), "expected a multiple of 64"},
      {with({100, 3}, ggml_q4_k, 0),
       "type Q4_K and shape [3, 100], expected a last dimension that is a multiple of 256"},
      {with({3, 32}, ggml_q8_0, 0), "type Q8_0 and shape [32, 3]"},
      {with({128}, 16, 0), "type IQ2_XXS and shape [128]"},
      {with({1}, 77, 512), "has 0 bytes from byte 512"},
      {two(0, 32), "tensor \"b\" begins inside of tensor \"a\""},
      {two(0, 0), "tensor \"a\" begins inside of tensor \"b\""},
      {two(64, 96), "\"b\" begins inside of tensor \"a\""},
      {twice.bytes(), "lists tensor \"w\" twice"},
      {name.bytes(), "not valid UTF-8"},
      {many, "has 64 bytes from byte 0 of the data on, which has 0 bytes"},
      {many.substr(0, many.size() - 1), "needs 8 bytes"},
      {many.substr(0, many.size() - 9), "needs 4 bytes"},
  };
}

}  // namespace

TEST_CASE("values of every type are found under their keys") {
  const TemporaryDirectory directory;
  const GgufFile file(directory.write("a.gguf", rich_sample().bytes()));
  const GgufMetadata& data = file.metadata();
  CHECK(file.version() == 3);
  CHECK(file.alignment() == 32);
  REQUIRE(data.size() == 20);
  CHECK(data.key(0) == "general.architecture");
  CHECK(std::get<std::string_view>(data.value(0)) == "llama");
  CHECK(data.string("general.architecture") == "llama");
  CHECK(data.integer("a.u8") == 254);
  CHECK(data.integer("a.i8") == -2);
  CHECK(data.integer("a.u16") == 65000);
  CHECK(data.integer("a.i16") == -300);
  CHECK(data.integer("a.u32") == 4'000'000'000);
  CHECK(data.integer("a.i32") == -70000);
  CHECK(data.integer("a.u64") == std::int64_t{1} << 62);
  CHECK(data.integer("a.i64") == -5);
  CHECK(data.real("a.f32") == static_cast<double>(1e-5f));
  CHECK(data.real("a.f64") == 0.1);
  CHECK(data.boolean("a.yes") == true);
  CHECK(data.boolean("a.no") == false);
  CHECK(data.strings("list.strings") == std::vector<std::string_view>{"a", "", "\xc3"});
  CHECK(data.integers("list.i32") == std::vector<std::int64_t>{-1, 7});
  CHECK(data.reals("list.f32") == std::vector<double>{0.5, -2});
  CHECK(data.booleans("list.bools") == std::vector<bool>{true, false});
  CHECK(data.integers("list.none") == std::vector<std::int64_t>{});
  const std::vector<GgufValue> nested = elements_of(std::get<GgufArray>(data.value(19)));
  REQUIRE(nested.size() == 2);
  CHECK(std::get<std::uint8_t>(elements_of(std::get<GgufArray>(nested[0]))[1]) == 2);
  CHECK(std::get<std::string_view>(elements_of(std::get<GgufArray>(nested[1]))[0]) == "x");
}

TEST_CASE("a value that is missing or of another type is said to be") {
  const TemporaryDirectory directory;
  const GgufFile file(directory.write("a.gguf", rich_sample().bytes()));
  const GgufMetadata data = file.metadata();  // a copy
  CHECK(!data.has("a"));
  CHECK(data.integer("a") == std::nullopt);
  CHECK(data.strings("list.stringsx") == std::nullopt);
  CHECK(data.need(data.integer("a.u8"), "a.u8") == 254);
  CHECK_THROWS_WITH(data.need(data.integer("a"), "a"),
                    ContainsSubstring("a.gguf") && ContainsSubstring("no metadata \"a\"."));
  const auto refused = [](auto ask, std::string_view expected) {
    const std::string message = message_of<Error>(ask);
    CHECK_THAT(message, ContainsSubstring(std::string(expected)));
    CHECK(is_sentence(message));
  };
  refused([&] { data.integer("a.f32"); }, "\"a.f32\" is a float32, expected an integer.");
  refused([&] { data.integer("a.yes"); }, "is a bool, expected an integer.");
  refused([&] { data.integer("a.large"); }, "is 18446744073709551615, expected an integer");
  refused([&] { data.real("a.i32"); }, "is an int32, expected a float32 or float64.");
  refused([&] { data.boolean("a.u8"); }, "is a uint8, expected a bool.");
  refused([&] { data.string("list.strings"); }, "is an array of strings, expected a string.");
  refused([&] { data.strings("general.architecture"); }, "is a string, expected an array of strings.");
  refused([&] { data.strings("list.i32"); }, "is an array of int32s, expected an array of strings.");
  refused([&] { data.integers("list.nested"); }, "is an array of arrays, expected an array of integers.");
  refused([&] { data.reals("list.i32"); }, "expected an array of float32s or float64s.");
  refused([&] { data.booleans("list.i32"); }, "expected an array of bools.");
}

TEST_CASE("tensors lie in the map with their rows outermost first, longer than the reader lives") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("a.gguf", rich_sample().bytes());
  std::vector<StoredTensor> kept;
  {
    const GgufFile file(path);
    REQUIRE(file.tensors().size() == 13);
    CHECK(file.find("four")->shape == std::vector<std::int64_t>{1, 3, 1, 2});
    CHECK(file.find("five") == nullptr);
    CHECK_THROWS_WITH(file.stored("five"), ContainsSubstring("no tensor \"five\"."));
    for (const GgufTensor& tensor : file.tensors()) {
      CHECK(file.find(tensor.name) == &tensor);
      kept.push_back(file.stored(tensor));
      CHECK(std::string(to_string(kept.back().type())) == ggml_type_name(tensor.type));
    }
  }
  CHECK(kept[0].widened() == Tensor(Shape{2, 3}, {1.5f, -2.0f, 0.25f, 4.0f, 5.0f, 6.0f}));
  CHECK(kept[0].floats().size() == 6);
  for (const StoredTensor& tensor : kept) {
    Tensor expected(tensor.shape());
    widen(tensor.type(), tensor.bytes(), expected.values());
    CHECK(tensor.widened() == expected);
  }
  REQUIRE(::truncate(path.c_str(), 100) == 0);
  CHECK_THROWS_WITH(kept[5].widened(), ContainsSubstring("shorter"));
}

TEST_CASE("types that are not read are listed and refused by their name") {
  const TemporaryDirectory directory;
  GgufSample sample;
  sample.version = 2;
  sample.value("general.alignment", U32, u32(64));
  sample.alignment = 64;
  sample.tensor("i", {4}, ggml_i32, std::string(16, '\1'))
      .tensor("iq", {256, 2}, 16, std::string(132, '\1'))
      .tensor("one bit", {128}, 41, std::string(18, '\1'))
      .tensor("eight bits", {256}, 15, std::string(292, '\1'))
      .tensor("new", {7}, 77, std::string(9, '\1'))
      .tensor("f", {2}, ggml_f32, le(1.0f) + le(2.0f));
  const GgufFile file(directory.write("a.gguf", sample.bytes()));
  CHECK(file.version() == 2);
  CHECK(file.alignment() == 64);
  REQUIRE(file.tensors().size() == 6);
  CHECK(ggml_type_name(file.find("iq")->type) == "IQ2_XXS");
  CHECK(file.find("iq")->bytes == 132);
  CHECK_THROWS_WITH(file.stored("i"), ContainsSubstring("tensor \"i\" has type I32, which is not read here"));
  CHECK(file.stored("iq").type() == ElementType::IQ2_XXS);
  CHECK_THROWS_WITH(file.stored("one bit"),
                    ContainsSubstring("has type Q1_0") && ContainsSubstring("llama-quantize"));
  CHECK_THROWS_WITH(file.stored("eight bits"), ContainsSubstring("has type Q8_K"));
  CHECK_THROWS_WITH(file.stored("new"), ContainsSubstring("has type 77"));
  CHECK(file.stored("f").widened() == Tensor(Shape{2}, {1, 2}));
}

TEST_CASE("hostile GGUF files are refused in words") {
  const TemporaryDirectory directory;
  std::vector<Hostile> cases = hostile_heads();
  for (const auto& more : {hostile_metadata(), hostile_tensors()})
    cases.insert(cases.end(), more.begin(), more.end());
  REQUIRE(cases.size() >= 60);
  for (const auto& [bytes, expected] : cases) {
    const std::filesystem::path path = directory.write("hostile.gguf", bytes);
    const std::string message = refusal(path);
    CHECK_THAT(message, ContainsSubstring(expected));
    CHECK(is_sentence(message));
    CHECK_THAT(message, ContainsSubstring(path.native()));
  }
}

TEST_CASE("a header longer than any real one is refused before it is read") {
  const TemporaryDirectory directory;
  const std::string head = GgufSample().value("k", STRING, u64(1ull << 40)).head();
  const std::filesystem::path path = directory.write("sparse.gguf", head);
  if (::truncate(path.c_str(), static_cast<off_t>(head.size() + (1ull << 40))) != 0) SKIP("no sparse files");
  CHECK_THAT(refusal(path), ContainsSubstring("header longer than 67108864 bytes"));
}

TEST_CASE("files without tensors or data are whole") {
  const TemporaryDirectory directory;
  CHECK(GgufFile(directory.write("none", GgufSample().head())).tensors().empty());
  const GgufFile words(directory.write("words", GgufSample().value("k", STRING, text("v")).head()));
  CHECK(words.metadata().string("k") == "v");
  const GgufFile empty(directory.write("empty", GgufSample().info("w", {0}, ggml_f32, 0).head()));
  CHECK(empty.stored("w").widened().size() == 0);
}

TEST_CASE("a GGUF file that shrinks while it is open is an error, not a signal") {
  const TemporaryDirectory directory;
  GgufSample sample;
  sample.tensor("w", {5000}, ggml_f32, std::string(20000, 'x'));
  const std::filesystem::path path = directory.write("a.gguf", sample.bytes());
  const GgufFile file(path);
  REQUIRE(::truncate(path.c_str(), 100) == 0);
  CHECK_THROWS_WITH(file.stored("w"), ContainsSubstring("shorter"));
}

TEST_CASE("damaged GGUF files are refused or read, never more") {
  const TemporaryDirectory directory;
  const std::string good = rich_sample().bytes();
  const std::size_t head = rich_sample().head().size();
  std::mt19937_64 random(seeds::of_case("gguf", 0));
  std::int64_t opened = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = good;
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const std::uint64_t changes = bytes.empty() ? 0 : random() % 4 + (bytes.size() == good.size());
    for (std::uint64_t i = 0; i < changes; ++i) {
      char& byte = bytes[random() % std::min(bytes.size(), random() % 3 != 0 ? bytes.size() : head)];
      byte = random() % 2 == 0 ? static_cast<char>(byte ^ (1 << random() % 8)) : static_cast<char>(random());
    }
    std::filesystem::remove(directory / "damaged.gguf");  // an overwritten file would be flushed to the disk
    const std::filesystem::path path = directory.write("damaged.gguf", bytes);
    try {
      const GgufFile file(path);
      ++opened;
      for (std::size_t i = 0; i < file.metadata().size(); ++i) {
        const GgufValue value = file.metadata().value(i);
        if (const auto* array = std::get_if<GgufArray>(&value)) elements_of(*array);
      }
      for (const GgufTensor& tensor : file.tensors()) {
        if (!element_type_of_ggml(tensor.type)) continue;
        const Tensor all = file.stored(tensor).widened();
        REQUIRE(all.size() == file.stored(tensor).shape().count());
      }
    } catch (const Error& error) {
      ++refused;
      INFO(error.what());
      REQUIRE(is_sentence(error.what()));
    }
  }
  CHECK(opened > 300);
  CHECK(refused > 300);
}

}  // namespace attnscope::gguf_test
