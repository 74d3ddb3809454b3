// Attention weights as found in practice: axes that may be a batch or heads, rows of NaN, rows with a sink,
// tokens as a tokenizer spells them, and the two token lists of cross-attention.
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/dumps.hpp"
#include "core/edits/dump.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/text/shown_labels.hpp"

namespace attnscope::dump_weights_test {
using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;
namespace {

std::filesystem::path write(const TemporaryDirectory& directory, const char* name, const Tensor& weights,
                            const std::map<std::string, std::string>& metadata = {}) {
  const std::filesystem::path path = directory / "w.safetensors";
  write_safetensors(path, std::array{NamedTensor{name, &weights}}, metadata);
  return path;
}

Tensor shown_of(const Document& document) {
  Pipeline pipeline(make_cpu_backend());
  const ResultPtr result = pipeline.run(document, {}, nullptr, 1);
  REQUIRE(result->error.empty());
  return *result->layer().trace[Stage::Softmax];
}

std::string words(const std::vector<Sequence>& sequences) { return joined(sequences.at(0).tokens); }

}  // namespace

TEST_CASE("three axes of weights are said, and can be said otherwise", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor weights = causal_weights({2, 4, 4});
  const Document heads = open_document(write(directory, "attention", weights));
  CHECK(shown_of(heads).shape() == Shape{1, 2, 4, 4});
  CHECK_THAT(weights_note(heads),
             ContainsSubstring("\"attention\" has the axes [2, 4, 4], taken as heads, queries, keys"));
  const Document batch =
      open_document(write(directory, "attention", weights, {{"axes", "batch, queries, keys"}}));
  CHECK(shown_of(batch).shape() == Shape{2, 1, 4, 4});
  CHECK(weights_note(batch).empty());
  const Tensor pooled(Shape{2, 3, 2}, std::vector<float>(12, 0.5f));
  const Document one = open_document(write(directory, "attention", pooled, {{"axes", "batch heads keys"}}));
  CHECK(shown_of(one).shape() == Shape{2, 3, 1, 2});
  CHECK(weights_note(open_document(write(directory, "attention", causal_weights({1, 2, 4, 4})))).empty());
  CHECK_THAT(refusal_of(write(directory, "attention", weights, {{"axes", "keys queries"}})),
             ContainsSubstring("\"axes\" is \"keys queries\""));
  CHECK_THAT(refusal_of(write(directory, "attention", weights, {{"axes", "heads batch queries keys"}})),
             ContainsSubstring("in this order"));
  CHECK_THAT(refusal_of(write(directory, "attention", weights, {{"axes", "queries keys"}})),
             ContainsSubstring("names queries, keys, but \"attention\" has shape [2, 4, 4]"));
}

TEST_CASE("a mean over heads is one head", "[dump]") {
  const TemporaryDirectory directory;
  const Document document = open_document(write(directory, "attention", causal_weights({5, 5})));
  CHECK(shown_of(document).shape() == Shape{1, 1, 5, 5});
  CHECK(weights_note(document).empty());
}

TEST_CASE("what a sink took of a row stays away from its keys", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor weights(Shape{1, 2, 2, 2}, {0.24473f, 0.66524f, 0.5f, 0.5f, 0, 0, 0.125f, 0.25f});
  const Document document = open_document(write(directory, "attentions.0", weights));
  const Tensor shown = shown_of(document);
  for (std::int64_t i = 0; i < weights.size(); ++i)
    CHECK(std::abs(shown.data()[i] - weights.data()[i]) <= 2e-6f);
  CHECK(weights_note(document) ==
        "Up to 0.6250 of a row (head 1, query 1) of \"attentions.0\" went to no key: a sink takes it.");
  CHECK(to_json(document_from_json(to_json(document), "kept")) == to_json(document));
  // A bfloat16's rounding is no sink.
  const Tensor rounded(Shape{1, 1, 1, 2}, {0.4921875f, 0.4921875f});
  CHECK(weights_note(open_document(write(directory, "attentions.0", rounded))).empty());
  const Tensor above(Shape{1, 1, 1, 2}, {0.6f, 0.6f});
  CHECK_THAT(refusal_of(write(directory, "attentions.0", above)),
             ContainsSubstring("adds up to 1.2") && ContainsSubstring("1 or less"));
}

TEST_CASE("rows of NaN open and stay NaN", "[dump]") {
  const TemporaryDirectory directory;
  Tensor weights = causal_weights({1, 2, 3, 3});
  for (int key = 0; key < 3; ++key) weights.data()[9 + key] = std::nanf("");
  const Document document = open_document(write(directory, "attentions.0", weights));
  CHECK(document.layer().masking.causal);  // by the other rows
  const Tensor shown = shown_of(document);
  CHECK(std::isnan(shown.data()[9]));
  for (std::int64_t i = 0; i < weights.size(); ++i)
    if (i < 9 || i >= 12) CHECK(std::abs(shown.data()[i] - weights.data()[i]) <= 1e-6f);
  CHECK(weights_note(document) ==
        "1 row of \"attentions.0\" holds NaN; they are shown as they are and marked.");
}

TEST_CASE("cross-attention has a list of words for its queries and one for its keys", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor weights(Shape{1, 1, 2, 4}, std::vector<float>(8, 0.25f));
  const char* keys = R"(["Kette", "Baum", "Fluss", "Tor"])";
  const auto opened = [&](const std::map<std::string, std::string>& metadata) {
    return open_document(write(directory, "cross_attentions.0", weights, metadata));
  };
  for (const auto& [of_keys, of_queries] :
       std::vector<std::pair<std::string, std::string>>{{"tokens", "query_tokens"},
                                                        {"key_tokens", "query_tokens"},
                                                        {"source_tokens", "target_tokens"},
                                                        {"encoder_tokens", "decoder_tokens"}}) {
    const Document document = opened({{of_keys, keys}, {of_queries, R"(["oak", "gate"])"}});
    CHECK(words(document.input.sequences) == "oak gate");
    CHECK(words(document.input.memory) == "Kette Baum Fluss Tor");
  }
  const Document two = opened({{"tokens", keys}, {"query_tokens", R"(["oak", "gate"])"}});
  CHECK(document_from_json(to_json(two), "kept").input.memory == two.input.memory);
  CHECK(to_json(document_from_json(to_json(two), "kept")) == to_json(two));
  const Document one = opened({{"tokens", keys}});  // the rows are other tokens, whose names are not known
  CHECK(words(one.input.sequences) == "0 1");
  CHECK(words(one.input.memory) == "Kette Baum Fluss Tor");
  CHECK_THAT(refusal_of(write(directory, "cross_attentions.0", weights,
                              {{"tokens", keys}, {"query_tokens", R"(["oak"])"}})),
             ContainsSubstring("\"query_tokens\" lists 1, expected 2"));
  shown_of(one);
}

TEST_CASE("an encoder-decoder's layers have the words of their own stack", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor encoder(Shape{1, 1, 3, 3}, std::vector<float>(9, 1.0f / 3)),
      decoder(Shape{1, 1, 2, 2}, std::vector<float>(4, 0.5f)),
      cross(Shape{1, 1, 2, 3}, std::vector<float>(6, 1.0f / 3));
  const std::filesystem::path path = directory / "w.safetensors";
  write_safetensors(
      path,
      std::array{NamedTensor{"encoder_attentions.0", &encoder}, NamedTensor{"decoder_attentions.0", &decoder},
                 NamedTensor{"cross_attentions.0", &cross}},
      {{"encoder_tokens", R"(["Ein", "Haus", "."])"}, {"decoder_tokens", R"(["A", "house"])"}});
  const Document source = open_document(path, "encoder_attentions.0"),
                 target = open_document(path, "decoder_attentions.0"),
                 between = open_document(path, "cross_attentions.0");
  CHECK(words(source.input.sequences) == "Ein Haus .");
  CHECK(source.input.memory.empty());
  CHECK(words(target.input.sequences) == "A house");
  CHECK(target.input.memory.empty());
  CHECK(words(between.input.sequences) == "A house");
  CHECK(words(between.input.memory) == "Ein Haus .");
}

TEST_CASE("labels are shown as a person reads them", "[dump]") {
  using Labels = std::vector<std::string>;
  CHECK(shown_labels({"The", "Ġcat", "▁sat", "ðŁĺĢ", "##s", ""}) ==
        Labels{"The", " cat", " sat", "😀", "##s", "\"\""});
  CHECK(shown_labels({"ĠcafÃ©", "ðŁ", "Ġ", "Ċ"}) == Labels{" café", "\\xF0\\x9F", "␣", "↵"});
  CHECK(shown_labels({"café", "für", "včera", "był", "Ārija", "ðŁ", "a\tb"}) ==
        Labels{"café", "für", "včera", "był", "Ārija", "ðŁ", "a⇥b"});
  CHECK(shown_labels({"ä½łå¥½", "漢"}) == Labels{"你好", "漢"});
}

TEST_CASE("an unnamed layer is not listed", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor tensor = random_tensor({1, 2, 3, 4}, 1);
  write_safetensors(
      directory / "d.safetensors",
      std::array{NamedTensor{"Q", &tensor}, NamedTensor{"K", &tensor}, NamedTensor{"V", &tensor}});
  CHECK_THAT(
      refusal_of(directory / "d.safetensors", "nope"),
      ContainsSubstring("has no layer \"nope\", expected none to be named: its only layer has no name."));
}

TEST_CASE("other programs' containers are refused by their names", "[dump]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const char* name, const std::string& bytes, const char* said) {
    std::ofstream(directory / name, std::ios::binary) << bytes;
    CHECK_THAT(refusal_of(directory / name), ContainsSubstring(said));
  };
  const std::string zip("PK\x03\x04\x14\0\0\0\0\0", 10);
  refused("a.npz", zip + "attention.npy", "has no end record, as one that was cut off");
  refused("a.npz", zip + "archive/data.pkl", "is a pickle (torch.save, PyTorch)");
  refused("a.safetensors", zip + "attention.npy",
          "is a zip archive of NumPy arrays (np.savez): give it a name");
  refused("a.pt", zip + "archive/data.pkl", "is a pickle (torch.save, PyTorch)");
  refused("b.pt", std::string("\x80\x02}q\0.", 6), "safetensors.torch.save_file");
  refused("a.pkl", std::string("\x80\x04\x95\0\0", 5), "is a pickle");
  refused("a.npy", zip, "is a zip archive: unpack it first");
  refused("a.h5", "\x89HDF\r\n\x1A\n", "is an HDF5 file");
  refused("a.json.gz", std::string("\x1F\x8B\x08\0", 4), "is compressed (gzip)");
}

TEST_CASE("a safetensors header of any length is no other container", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor weights = causal_weights({1, 2, 3, 3});
  const std::string data(reinterpret_cast<const char*>(weights.data()), 72);
  // Lengths whose bytes look like the begin of a pickle of protocol 2 to 5, or of gzip.
  for (const std::size_t length : {0x280u, 0x380u, 0x480u, 0x580u, 0x8B1Fu}) {
    CAPTURE(length);
    std::string header = R"({"attentions.0":{"dtype":"F32","shape":[1,2,3,3],"data_offsets":[0,72]}})";
    header.resize(length, ' ');
    const std::filesystem::path path = directory / (std::to_string(length) + ".safetensors");
    std::ofstream(path, std::ios::binary) << static_cast<char>(length & 255) << static_cast<char>(length >> 8)
                                          << std::string(6, '\0') << header << data;
    CHECK(std::abs(shown_of(open_document(path)).data()[15] - weights.data()[15]) < 1e-6f);
  }
}

TEST_CASE("bfloat16 in npy is read as NumPy writes it", "[dump]") {
  const TemporaryDirectory directory;
  std::string header = "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 1), }";
  header += std::string(127 - 10 - header.size(), ' ') + "\n";
  std::ofstream(directory / "b.npy", std::ios::binary)
      << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size()) << '\0' << header
      << std::string("\x80\x3F\x20\xC1", 4);
  const Tensor read = read_npy<float>(directory / "b.npy");
  CHECK(read.data()[0] == 1.f);
  CHECK(read.data()[1] == -10.f);
}

}  // namespace attnscope::dump_weights_test
