#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/document/document_tensors.hpp"
#include "core/files/document/open.hpp"
#include "core/text/tokenize.hpp"
#include "core/weights/make_weights.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::document_json_test {

using attnscope::test::is_sentence;
using attnscope::test::message_of;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TensorPtr tensor(Shape shape, std::vector<float> values) {
  return std::make_shared<const Tensor>(shape, std::move(values));
}

bool same(const TensorPtr& a, const TensorPtr& b) { return !a || !b ? !a && !b : *a == *b; }

std::vector<TensorPtr*> blocks_of(Document& d) {
  std::vector<TensorPtr*> blocks;
  for_each_tensor(d, [&](TensorPtr& block) { blocks.push_back(&block); });
  return blocks;
}

/// Turns tokens into labels: files keep no positions in a text that tokenize() did not split.
void forget_places(Sequences& sequences) {
  if (sequences.empty()) return;
  for (Sequence& sequence : sequences.change())
    for (Token& token : sequence.tokens) token.begin = token.end = -1;
}

/// Equality of the numbers in shared blocks; Document's own == compares only which blocks they are.
bool same(Document a, Document b) {
  for (Document* document : {&a, &b}) {
    forget_places(document->input.sequences);
    forget_places(document->input.memory);
  }
  if (a.layer().interventions.size() != b.layer().interventions.size()) return false;
  const std::vector<TensorPtr*> in_a = blocks_of(a), in_b = blocks_of(b);
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    if (!same(*in_a[i], *in_b[i])) return false;
    *in_a[i] = *in_b[i];
  }
  return a == b;
}

Document round_trip(const Document& document) { return document_from_json(to_json(document), "round trip"); }

Document sentence(const std::string& text) {
  Document document;
  document.input.sequences = {{text, tokenize(text)}};
  return with_weights(document);
}

/// The refusal of the smallest document with one key added or changed.
std::string refusal(const std::string& key, const std::string& value) {
  const std::string text = "{\"attnscope\": 1, \"" + key + "\": " + value + "}";
  return message_of<Error>([&] { document_from_json(text, "bad.json"); });
}

}  // namespace

TEST_CASE("missing keys take the defaults", "[json]") {
  const Document document = document_from_json(R"({"attnscope": 1, "text": ["The cat's mat"]})", "x");
  CHECK(same(document, sentence("The cat's mat")));
  CHECK(texts_of(document.input.sequences[0].tokens) == std::vector<std::string>{"The", "cat's", "mat"});
  CHECK(document.layer().weights[Parameter::WQuery] != nullptr);
}

TEST_CASE("the tokens of a text come back with their places in it", "[json]") {
  const Document document = sentence("The  cat's [SEP] mat");
  CHECK(round_trip(document).input.sequences == document.input.sequences);
}

TEST_CASE("every setting comes back", "[json]") {
  Document document = sentence("Ça \"va\"?\n猫 \\ 😀");
  document.title = "Title with \"quotes\" and ∞";
  document.layer().d_model = 32;
  document.layer().heads = 4;
  document.input.sequences.change().push_back({"two words", {"two", "words"}});
  document.input.padded_length = 9;
  document.layer().positions = Positions::None;
  document.layer().weights.seed = std::numeric_limits<std::uint64_t>::max();
  document.layer().weights.biases = true;
  document.layer().weights.noise = 0.1f;
  document.layer().scaling = {Scaling::Kind::Factor, -0.3f};
  document.layer().masking.causal = true;
  document.layer().masking.padding = true;
  document.layer().soft_cap = 12.3f;
  document.layer().temperature = 1e-30f;
  document.input.memory = {{"another text", {"another", "text"}}, {"x", {"x"}}};
  document.input.cached = 3;
  document.layer().kv_heads = 2;
  document.layer().d_k = 6;
  document.layer().d_v = 5;
  document.layer().weights.fused = true;
  document.layer().add_zero_attn = true;
  document.layer().qk_norm = {QkNorm::Kind::Layer, 1e-3f};
  document.layer().latent = {8, 2, 5, false, 1e-3f};
  document.layer().block = {Arrangement::Sandwich,
                            NormKind::RmsNormOnePlus,
                            1e-6f,
                            false,
                            false,
                            false,
                            true,
                            Activation::Silu,
                            24};
  document.layer().position_settings = {
      500,
      4,
      RopeScaling::Yarn,
      2.5f,
      100,
      0.5f,
      3,
      2,
      40,
      false,
      1.5f,
      std::make_shared<const Tensor>(Shape{2}, std::vector<float>{1.5f, 4}),
      std::make_shared<const Tensor>(Shape{2}, std::vector<float>{1.25f, 3}),
      0.5f,
      600,
      8,
      20,
      false,
      5,
      false,
      false};
  document.layer().masking.window = {3, -1};
  document.layer().masking.sparsity = {Sparsity::Kind::Lsh, 5, 6, 2, 8, 3, 77, 9, 4, 3};
  document.layer().masking.heads = {0, 3};
  document.layer().masking.hidden = Masking::Hidden::MinusBillion;
  document.layer().masking.mistake = MaskMistake::WrongAxis;
  document.layer().softmax = SoftmaxKind::Naive;
  document.layer().empty_row = EmptyRow::Uniform;
  document.layer().linear = true;
  document.layer().dropout = {0.3f, 12};
  document.precision = Precision::Float16;
  document.loss.kind = Loss::Kind::MeanSquared;
  document = with_weights(document);
  CHECK(same(round_trip(document), document));

  SECTION("every kind of positions") {
    for (int kind = 0; kind < 7; ++kind) {
      document.layer().positions = static_cast<Positions>(kind);
      CHECK(same(round_trip(document), document));
    }
  }
  SECTION("a learned key") {
    document.layer().weights[Parameter::BiasK] = document.layer().weights[Parameter::BiasV] =
        tensor(Shape{1}, {0});
    document = with_weights(document);
    CHECK(document.layer().weights[Parameter::BiasV]->shape() == Shape{10});
    CHECK(same(round_trip(document), document));
  }
  SECTION("tokens of the second text that do not follow from it") {
    document.input.memory.change()[0].tokens = {"another text"};
    CHECK(same(round_trip(document), document));
  }
  SECTION("hand-built weights, each embedding") {
    document.layer().latent = {};  // latents read the token vectors
    document.layer().weights.recipe = Recipe::HandBuilt;
    for (const Embedding embedding : {Embedding::Gaussian, Embedding::HandBuilt}) {
      document.embedding = embedding;
      CHECK(same(round_trip(with_weights(document)), with_weights(document)));
    }
  }
  SECTION("random weights on hand-built embeddings") {
    document.embedding = Embedding::HandBuilt;
    CHECK(same(round_trip(document), document));
  }
  SECTION("a factor that waits for its switch") {
    document.layer().scaling = {Scaling::Kind::Off, 0.7f};
    CHECK(same(round_trip(document), document));
    document.layer().scaling.kind = Scaling::Kind::InverseSqrtDk;
    CHECK(same(round_trip(document), document));
  }
  SECTION("tokens that do not follow from the text") {
    document.input.sequences.change()[0].tokens = {"Ça va", "?"};
    CHECK(same(round_trip(document), document));
  }
  SECTION("every kind of surgery") {
    using Kind = Intervention::Kind;
    document.layer().interventions = {{Kind::None},
                                      {Kind::Frozen, tensor({1, 2, 3}, {0, 1, 0, 0.25f, 0.5f, 0.1f})},
                                      {Kind::Mute},
                                      {Kind::FirstToken}};
    CHECK(same(round_trip(document), document));
    document.layer().interventions = {{Kind::Uniform}, {Kind::PreviousToken}, {Kind::Identity}, {Kind::None}};
    CHECK(same(round_trip(document), document));
    document.layer().interventions =
        std::vector<Intervention>(4);  // none at all: not written, so it comes back as empty
    CHECK(round_trip(document).layer().interventions.empty());
  }
  SECTION("a mask of numbers") {
    document.layer().masking.additive = tensor({1, 2, 1, 2}, {0, -infinity, 1.5f, -0.0f});
    const Document back = round_trip(document);
    CHECK(same(back, document));
    CHECK(std::signbit(back.layer().masking.additive->values()[3]));
    CHECK_THAT(to_json(document), ContainsSubstring("null"));
  }
}

TEST_CASE("weights that are numbers come back bit by bit", "[json]") {
  Document document = sentence("a b");
  document.layer().d_model = 2;
  document.layer().heads = 1;
  document.layer().weights = {};
  document.layer().weights.recipe = Recipe::Given;
  document.layer().weights[Parameter::WQuery] = tensor({2, 2}, {0.1f, -1.0f / 3, 1e-45f, 3.4028235e38f});
  document.layer().weights[Parameter::WKey] = tensor({2, 2}, {16777216, 1e16f, 1.17549435e-38f, -0.0f});
  document.layer().weights[Parameter::WValue] = tensor({2, 2}, {1, 2, 3, 4});
  document.layer().weights[Parameter::WOutput] = tensor({2, 2}, {5, 6, 7, 8});
  CHECK(same(round_trip(document), document));
  document.layer().weights[Parameter::BQuery] = tensor({2}, {0.5f, 1});
  document.layer().weights[Parameter::BKey] = tensor({2}, {2, 3});
  document.layer().weights[Parameter::BValue] = tensor({2}, {4, 5});
  document.layer().weights[Parameter::BOutput] = tensor({2}, {6, 7});
  document.layer().weights.head_names = {"edited"};
  CHECK(same(round_trip(document), document));
}

TEST_CASE("every float is printed so that it reads back", "[json]") {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const float value = std::bit_cast<float>(i * 214'013u + 2'531'011u * (i % 7));
    values.push_back(std::isnan(value) ? 0 : value);
  }
  Document document;
  const auto count = static_cast<std::int64_t>(values.size());
  document.input.numbers = Given{tensor({1, 1, 1, count}, values), tensor({1, 1, 1, count}, values),
                                 tensor({1, 1, 1, 1}, {std::nanf("")})};
  const Document back = round_trip(document);
  CHECK(std::memcmp(back.input.given().query->data(), values.data(), values.size() * sizeof(float)) == 0);
  CHECK(std::isnan(back.input.given().value->values()[0]));
}

TEST_CASE("given Q, K, V come back", "[json]") {
  Document document = document_from_json(R"({"attnscope": 1, "title": "Three tokens", "given": {
      "tokens": [["a", "b", "c"]],
      "query": [[[[1, 0], [0, 1], [1, 1]]]], "key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]}})",
                                         "x");
  CHECK(document.input.sequences == std::vector<Sequence>{{"a b c", {"a", "b", "c"}}});
  CHECK(*document.input.given().key == Tensor({1, 1, 3, 2}, {1, 1, 0, 1, 1, 0}));
  CHECK(check(document).keys == 3);
  CHECK(same(round_trip(document), document));
  document.input.sequences.change()[0].text = "a, b, c";
  CHECK(same(round_trip(document), document));
  document.input.change<Given>().query = tensor({1, 1, 2, 2}, {infinity, -infinity, 1, 2});
  document.input.sequences = {{"x y z", {"x", "y", "z"}}};
  CHECK(same(round_trip(document), document));
}

TEST_CASE("token vectors whose keys are other tokens come back with the labels of both", "[json]") {
  const std::string rest =
      R"("query": [[[1, 0], [0, 1]]], "key": [[[1, 1], [0, 1], [1, 0]]]}, "d_model": 2, "heads": 1,
         "weights": {"recipe": "given", "query": [[1, 0], [0, 1]], "key": [[1, 0], [0, 1]],
                     "value": [[1, 0], [0, 1]], "output": [[1, 0], [0, 1]]}, "positions": "none"})";
  const Document document = document_from_json(
      R"({"attnscope": 1, "vectors": {"tokens": [["a", "b"]], "key_tokens": [["c", "d", "e"]], )" + rest,
      "x");
  CHECK(document.input.sequences == std::vector<Sequence>{{"a b", {"a", "b"}}});
  CHECK(document.input.memory == std::vector<Sequence>{{"c d e", {"c", "d", "e"}}});
  CHECK(check(document).keys == 3);
  CHECK(same(round_trip(document), document));
  const std::string two = R"({"attnscope": 1, "vectors": {"key_tokens": [["c", "d"]], )" + rest;
  CHECK_THAT(message_of<Error>([&] { document_from_json(two, "bad.json"); }),
             ContainsSubstring("vectors.key_tokens"));
}

TEST_CASE("labels of given tensors default to numbers and must fit", "[json]") {
  const std::string given =
      R"("query": [[[[1]], [[2]]]], "key": [[[[1], [2], [3]]]], "value": [[[[1], [2], [3]]]]})";
  const Document document = document_from_json("{\"attnscope\": 1, \"given\": {" + given + "}", "x");
  CHECK(texts_of(document.input.sequences.at(0).tokens) == std::vector<std::string>{"0", "1", "2"});
  CHECK_THAT(refusal("given", R"({"tokens": [["a"]], )" + given), ContainsSubstring("given.tokens"));
  CHECK_THAT(refusal("given", R"({"tokens": [], )" + given), ContainsSubstring("given.tokens"));
}

TEST_CASE("what does not fit is refused with its key and source", "[json]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"attnscopf", "1"},
      {"title", "7"},
      {"text", "\"no list\""},
      {"text", "[1]"},
      {"tokens", R"([["a"]])"},
      {"tokens", R"([[""]])"},
      {"d_model", "0"},
      {"d_model", "64.5"},
      {"d_model", "100000"},
      {"heads", "-1"},
      {"heads", "0"},
      {"heads", "null"},
      {"seed", "-1"},
      {"seed", "18446744073709551616"},
      {"weights", "\"learned\""},
      {"weights", "3"},
      {"weights", R"({"recipe": "random"})"},
      {"noise", "-0.5"},
      {"noise", "1e39"},
      {"biases", "1"},
      {"embedding", "\"learned\""},
      {"positions", "true"},
      {"padded_length", "-3"},
      {"padded_length", "1e9"},
      {"scale", "\"sqrt\""},
      {"scale", "[1]"},
      {"scale", "1e39"},
      {"scale_factor", "\"1\""},
      {"soft_cap", "-1"},
      {"soft_cap", "\"NaN\""},
      {"temperature", "0"},
      {"temperature", "-1"},
      {"temperature", "1e-60"},
      {"temperature", "\"NaN\""},
      {"mask", "true"},
      {"surgery", "{}"},
      {"surgery", "[3]"},
      {"surgery", "[{}]"},
      {"surgery", R"([{"head": 8, "kind": "mute"}])"},
      {"surgery", R"([{"head": 0, "kind": "silent"}])"},
      {"surgery", R"([{"head": 0, "kind": "mute"}, {"head": 0, "kind": "uniform"}])"},
      {"surgery", R"([{"head": 0, "kind": "frozen"}])"},
      {"surgery", R"([{"head": 0, "kind": "mute", "pattern": [[[1]]]}])"},
      {"surgery", R"([{"head": 0, "kind": "mute", "strength": 2}])"},
      {"given", "[]"},
      {"given", "{}"},
  };
  for (const auto& [key, value] : cases) {
    INFO(key << " = " << value);
    const std::string message = refusal(key, value);
    CHECK_THAT(message, ContainsSubstring(key) && ContainsSubstring("bad.json"));
    CHECK(is_sentence(message));
  }
  SECTION("nested keys are named with their path") {
    CHECK_THAT(refusal("mask", R"({"causal": 1})"),
               ContainsSubstring("\"mask.causal\"") && ContainsSubstring("found 1"));
    CHECK_THAT(refusal("mask", R"({"casual": true})"), ContainsSubstring("\"mask.casual\""));
    CHECK_THAT(refusal("mask", R"({"additive": [[0]]})"), ContainsSubstring("\"mask.additive\""));
    CHECK_THAT(refusal("mask", R"({"additive": [[[[0], []]]]})"), ContainsSubstring("empty array"));
    CHECK_THAT(refusal("given", R"({"query": [[[[1, 0], [1]]]]})"), ContainsSubstring("\"given.query\""));
    CHECK_THAT(refusal("given", R"({"query": [[[[1, null]]]]})"), ContainsSubstring("found null"));
    CHECK_THAT(refusal("given", R"({"query": [[[[1e40]]]]})"), ContainsSubstring("1e+40"));
    CHECK_THAT(refusal("weights", R"({"recipe": "given", "query": [1]})"),
               ContainsSubstring("\"weights.query\""));
    CHECK_THAT(refusal("weights", R"({"recipe": "given", "bias": [1]})"),
               ContainsSubstring("\"weights.bias\""));
  }
}

TEST_CASE("what is no JSON document is refused with its place", "[json]") {
  const auto message = [](const std::string& text) {
    return message_of<Error>([&] { document_from_json(text, "bad.json"); });
  };
  CHECK_THAT(message(""), ContainsSubstring("not valid JSON at line 1"));
  CHECK_THAT(message("{\"attnscope\": 1,\n \"heads\" 8}"), ContainsSubstring("line 2, column"));
  CHECK_THAT(message("{\"attnscope\": 1, \"temperature\": NaN}"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(message("{\"attnscope\": 1, \"temperature\": 1e999}"), ContainsSubstring("too large"));
  CHECK_THAT(message("{\"attnscope\": 1, \"title\": \"\xff\"}"),
             ContainsSubstring("UTF-8 at line 1, column 28"));
  CHECK_THAT(message("{\"attnscope\": 1, \"heads\": 8, \"heads\": 4}"), ContainsSubstring("\"heads\" twice"));
  CHECK_THAT(message("{\"attnscope\": 1, \"text\": " + std::string(50'000, '[') + "}"),
             ContainsSubstring("deeper"));
  CHECK_THAT(message("[1]"), ContainsSubstring("must be an object"));
  CHECK_THAT(message("{\"heads\": 8}"), ContainsSubstring("not an AttnScope document"));
  CHECK_THAT(message("{\"attnscope\": 2}"), ContainsSubstring("\"attnscope\""));
  CHECK_THAT(message("{\"attnscope\": 1, \"text\": [\"" + std::string(1'000'001, 'a') + "\"]}"),
             ContainsSubstring("too long"));
}

}  // namespace attnscope::document_json_test
