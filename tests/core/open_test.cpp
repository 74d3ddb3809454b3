#include "core/files/document/open.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/opened/opened_model.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::open_test {

using attnscope::test::is_sentence;
using attnscope::test::message_of;
using attnscope::test::TemporaryDirectory;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::string refusal(const std::filesystem::path& path) {
  const std::string message = message_of<Error>([&] { open_document(path); });
  CHECK(is_sentence(message));
  CHECK_THAT(message, ContainsSubstring(path.filename().native()));
  return message;
}

std::vector<std::string> texts_of(const Document& document) {
  std::vector<std::string> texts;
  for (const Sequence& sequence : document.input.sequences) texts.push_back(sequence.text);
  return texts;
}

/// Ones of these shapes as Q, K and V, and a mask beside them.
std::filesystem::path tensors_file(const TemporaryDirectory& directory, const Shape& q, const Shape& k,
                                   const Shape& v, const Tensor* mask = nullptr) {
  const Tensor query(q, std::vector<float>(static_cast<std::size_t>(q.count()), 1));
  const Tensor key(k, std::vector<float>(static_cast<std::size_t>(k.count()), 1));
  const Tensor value(v, std::vector<float>(static_cast<std::size_t>(v.count()), 1));
  std::vector<NamedTensor> tensors{{"Q", &query}, {"K", &key}, {"V", &value}};
  if (mask != nullptr) tensors.push_back({"attn_mask", mask});
  write_safetensors(directory / "qkv.safetensors", tensors);
  return directory / "qkv.safetensors";
}

/// One head of two queries and two keys with a boolean mask of the given shape.
std::filesystem::path boolean_mask_file(const TemporaryDirectory& directory, const std::string& dtype,
                                        const std::string& shape, const std::string& mask) {
  const auto entry = [](std::size_t begin) {
    return R"({"dtype":"F32","shape":[1,1,2,1],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(begin + 8) + "]}";
  };
  const std::string header = "{\"Q\":" + entry(0) + ",\"K\":" + entry(8) + ",\"V\":" + entry(16) +
                             R"(,"attn_mask":{"dtype":")" + dtype + R"(","shape":)" + shape +
                             R"(,"data_offsets":[24,)" + std::to_string(24 + mask.size()) + "]}}";
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  return directory.write("masked.safetensors", bytes + header + std::string(24, '\0') + mask);
}

}  // namespace

TEST_CASE("a plain text becomes a sentence per line", "[open]") {
  const TemporaryDirectory directory;
  const Document document = open_document(
      directory.write("two.txt", "\xEF\xBB\xBFHe sat by the bank.\r\n\n   \nShe robbed the bank!\n"));
  CHECK(texts_of(document) == std::vector<std::string>{"He sat by the bank.", "She robbed the bank!"});
  CHECK(texts_of(document.input.sequences[1].tokens) ==
        std::vector<std::string>{"She", "robbed", "the", "bank", "!"});
  CHECK(document.title == "two.txt");
  CHECK(document.layer().masking.padding);
  CHECK(document.layer().weights.recipe == Recipe::HandBuilt);
  CHECK_NOTHROW(check(document));

  const Document one = open_document(directory.write("README", "Just one line"));
  CHECK(texts_of(one) == std::vector<std::string>{"Just one line"});
  CHECK_FALSE(one.layer().masking.padding);
}

TEST_CASE("a text of many lines is one sentence", "[open]") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 16; ++i) text += "line " + std::to_string(i) + "\n\n";
  CHECK(open_document(directory.write("16.txt", text)).input.sequences.size() == 16);
  const Document document = open_document(directory.write("17.txt", text + "and more"));
  REQUIRE(document.input.sequences.size() == 1);
  CHECK(document.input.sequences[0].text.starts_with("line 0 line 1 "));
  CHECK(document.input.sequences[0].tokens.size() == 34);
}

TEST_CASE("what is no text is refused", "[open]") {
  const TemporaryDirectory directory;
  CHECK_THAT(refusal(directory.write("empty.txt", "")), ContainsSubstring("no text"));
  CHECK_THAT(refusal(directory.write("blank.txt", " \n\t\n")), ContainsSubstring("no text"));
  CHECK_THAT(refusal(directory.write("zero.txt", std::string_view("a\0b", 3))),
             ContainsSubstring("byte 1 is 0"));
  CHECK_THAT(refusal(directory.write("latin1.txt", "caf\xe9")), ContainsSubstring("byte 3 (0xe9)"));
  CHECK_THAT(refusal(directory.write("long.txt", std::string(1'000'001, 'a'))),
             ContainsSubstring("1000001 bytes"));
  CHECK_THAT(refusal(directory / "missing.txt"), ContainsSubstring("No such file"));
  CHECK_THAT(refusal(directory / "missing.json"), ContainsSubstring("No such file"));
  CHECK_THAT(refusal(directory.path()), ContainsSubstring("directory"));
  CHECK_THAT(refusal(directory.write("text.json", "The cat")), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal(directory.write("text.safetensors", "The cat sat on the mat")),
             ContainsSubstring("not a safetensors"));
  CHECK_THAT(message_of<Error>([&] { open_document(directory.write("line\nbreak.txt", "")); }),
             ContainsSubstring("line\\u{a}break"));
}

TEST_CASE("a document is saved and opened", "[open]") {
  const TemporaryDirectory directory;
  Document document = open_document(directory.write("a.txt", "The cat sat"));
  document.title = "My cat";
  save_document(document, directory / "cat.JSON");
  const Document back = open_document(directory / "cat.JSON");
  CHECK(back.title == "My cat");
  CHECK(back.input == document.input);
  CHECK(*back.layer().weights[Parameter::WQuery] == *document.layer().weights[Parameter::WQuery]);
  document.title.clear();
  save_document(document, directory / "untitled.json");
  CHECK(open_document(directory / "untitled.json").title == "untitled");
}

TEST_CASE("tensors become a document", "[open]") {
  const TemporaryDirectory directory;
  const Document document = open_document(tensors_file(directory, {2, 4, 3, 8}, {2, 2, 5, 8}, {2, 2, 5, 6}));
  CHECK(document.title == "qkv.safetensors");
  CHECK(document.input.given().value->shape() == Shape{2, 2, 5, 6});
  REQUIRE(document.input.sequences.size() == 2);
  CHECK(texts_of(document.input.sequences[1].tokens) == std::vector<std::string>{"0", "1", "2", "3", "4"});
  const Dimensions sizes = check(document);
  CHECK(
      (sizes.batch == 2 && sizes.heads == 4 && sizes.kv_heads == 2 && sizes.queries == 3 && sizes.keys == 5));
}

TEST_CASE("three arrays side by side become a document", "[open]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "layer 3");
  const Tensor query(Shape{2, 3, 4}), key(Shape{2, 5, 4}), value(Shape{2, 5, 6});
  write_npy(directory / "layer 3/Q.npy", query);
  write_npy(directory / "layer 3/K.npy", key);
  const auto sentence =
      [&](const std::string& name) {  // it names the array at fault, not the one that was opened
        return message_of<Error>([&] { open_document(directory / ("layer 3/" + name)); });
      };
  CHECK(open_document(directory / "layer 3/K.npy").input.given().holds ==
        GivenTensors::QueryKey);  // no values yet
  write_npy(directory / "layer 3/V.npy", value);
  for (const std::string any : {"Q", "K", "V"}) {
    const Document document = open_document(directory / ("layer 3/" + any + ".npy"));
    CHECK(document.input.given().query->shape() == Shape{1, 2, 3, 4});
    CHECK(document.title == "layer 3");
    CHECK(document.input.sequences[0].tokens.size() == 5);
  }
  write_npy(directory / "layer 3/V.npy", Tensor(Shape{2, 4, 6}));
  CHECK_THAT(sentence("Q.npy"), ContainsSubstring("the same number of keys"));
  write_npy(directory / "layer 3/V.npy", Tensor(Shape{6}));
  CHECK_THAT(sentence("Q.npy"), ContainsSubstring("2 to 4 dimensions"));
  write_npy(directory / "x.npy", value);
  CHECK_THAT(refusal(directory / "x.npy"), ContainsSubstring("cannot be shown alone"));
}

TEST_CASE("tensors that do not fit are refused", "[open]") {
  const TemporaryDirectory directory;
  CHECK_THAT(refusal(tensors_file(directory, {4, 3, 8}, {1, 4, 3, 8}, {1, 4, 3, 8})),
             ContainsSubstring("\"Q\"") && ContainsSubstring("[4, 3, 8]"));
  CHECK_THAT(refusal(tensors_file(directory, {1, 1, 3, 8}, {1, 1, 3, 0}, {1, 1, 3, 8})),
             ContainsSubstring("\"K\"") && ContainsSubstring("dimension of 0"));
  CHECK_THAT(refusal(tensors_file(directory, {1, 1, 3, 8}, {1, 1, 3, 7}, {1, 1, 3, 8})),
             ContainsSubstring("d_k"));
  CHECK_THAT(refusal(tensors_file(directory, {1, 3, 3, 8}, {1, 2, 3, 8}, {1, 2, 3, 8})),
             ContainsSubstring("heads"));
  const Tensor only({1, 1, 1, 1}, {1});
  const std::array lonely{NamedTensor{"Q", &only}, NamedTensor{"V", &only}};
  write_safetensors(directory / "lonely.safetensors", lonely);
  CHECK_THAT(refusal(directory / "lonely.safetensors"), ContainsSubstring("\"K\" is missing"));
}

TEST_CASE("masks are spread to batch, heads, queries and keys", "[open]") {
  const TemporaryDirectory directory;
  const auto mask_of = [](const std::filesystem::path& path) {
    return *open_document(path).layer().masking.additive;
  };
  const std::string three("\1\0\1\1", 4);

  CHECK(mask_of(boolean_mask_file(directory, "BOOL", "[2,2]", three)) ==
        Tensor({1, 1, 2, 2}, {0, -infinity, 0, 0}));
  CHECK(mask_of(boolean_mask_file(directory, "BOOL", "[1,2]", std::string("\0\1", 2))) ==
        Tensor({1, 1, 2, 2}, {-infinity, 0, -infinity, 0}));
  // Keys beyond a mask's end are hidden, as by ONNX's operator.
  CHECK(mask_of(boolean_mask_file(directory, "BOOL", "[1,1,2,1]", std::string("\0\1", 2))) ==
        Tensor({1, 1, 2, 2}, {-infinity, -infinity, 0, -infinity}));
  CHECK(mask_of(boolean_mask_file(directory, "BOOL", "[2]", std::string("\1\0", 2))) ==
        Tensor({1, 1, 2, 2}, {0, -infinity, 0, -infinity}));

  const Tensor per_head({2, 2, 2}, {1, 2, 3, 4, 5, 6, -infinity, 8});
  CHECK(mask_of(tensors_file(directory, {3, 2, 2, 1}, {3, 2, 2, 1}, {3, 2, 2, 1}, &per_head)) ==
        Tensor({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, -infinity, 8}));

  SECTION("or refused") {
    CHECK_THAT(refusal(boolean_mask_file(directory, "BOOL", "[4]", three)),
               ContainsSubstring("[1, 1, 2, 2]"));
    CHECK_THAT(refusal(boolean_mask_file(directory, "BOOL", "[1,4]", three)),
               ContainsSubstring("[1, 1, 2, 2]"));
    CHECK_THAT(refusal(boolean_mask_file(directory, "I8", "[2,2]", three)), ContainsSubstring("I8"));
    CHECK_THAT(refusal(boolean_mask_file(directory, "BOOL", "[1,1,1,2,2]", three)),
               ContainsSubstring("attn_mask"));
  }
}

TEST_CASE("examples are listed by file name with their titles", "[open]") {
  const TemporaryDirectory directory;
  CHECK(list_examples(directory.path()).empty());
  std::filesystem::create_directories(directory / "examples/b.json");  // a directory is no example
  directory.write("examples/2.json", R"({"attnscope": 1, "title": "The second"})");
  directory.write("examples/1.json", R"({"attnscope": 1, "title": "The first"})");
  directory.write("examples/3.json", "broken");
  directory.write("examples/4 words.txt", "four words");
  directory.write("examples/notes.md", "no example");
  std::vector<std::string> names;
  for (const Example& example : list_examples(directory.path())) names.push_back(example.name);
  CHECK(names == std::vector<std::string>{"The first", "The second", "3", "4 words"});
}

TEST_CASE("the shipped examples open and can be computed", "[open]") {
  for (const Example& example : list_examples(ATTNSCOPE_ASSETS)) {
    INFO(example.path);
    const Document document = open_document(example.path);
    CHECK(document.title == example.name);
    const ModelContext& within = document.within.read();
    if (within.is_unopened())  // what it says of its model is computed when that is open
      CHECK(is_model_path(example.path.parent_path() / within.path));
    else
      CHECK_NOTHROW(check(document));
  }
}

}  // namespace attnscope::open_test
