// A dump's metadata, what is measured or guessed without it, and which tensors of a head may be missing.
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/document/known.hpp"
#include "core/dumps.hpp"
#include "core/edits/dump.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::dump_facts_test {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Three tokens and two heads of queries, keys and values two wide, with metadata.
std::filesystem::path small_dump(const TemporaryDirectory& directory,
                                 const std::map<std::string, std::string>& metadata,
                                 const std::string& name = "d.safetensors") {
  const Tensor q = random_tensor({2, 3, 4}, 1), k = random_tensor({2, 3, 4}, 2),
               v = random_tensor({2, 3, 2}, 3);
  write_safetensors(directory / name,
                    std::array{NamedTensor{"l.0.q", &q}, NamedTensor{"l.0.k", &k}, NamedTensor{"l.0.v", &v}},
                    metadata);
  return directory / name;
}

Document opened(const std::filesystem::path& path, std::string_view layer = {}) {
  return open_document(path, layer);
}

}  // namespace

TEST_CASE("tokens of a dump are readable, or as they are where it says so", "[dump]") {
  const TemporaryDirectory directory;
  const std::string tokens = R"(["\u0120cat", "\u2581sat", "##s"])";
  const auto labels = [&](const std::map<std::string, std::string>& metadata) {
    return texts_of(opened(small_dump(directory, metadata)).input.sequences[0].tokens);
  };
  const std::vector<std::string> readable{" cat", " sat", "##s"};
  CHECK(labels({{"tokens", tokens}}) == readable);
  CHECK(labels({{"tokens", tokens}, {"labels", "readable"}}) == readable);
  CHECK(labels({{"tokens", tokens}, {"labels", "as they are"}}) ==
        std::vector<std::string>{"\u0120cat", "\u2581sat", "##s"});
  CHECK_THROWS_WITH(labels({{"tokens", tokens}, {"labels", "no"}}),
                    ContainsSubstring("\"labels\" is \"no\", expected \"readable\" or \"as they are\""));
}

TEST_CASE("the metadata of a dump says what its tensors are", "[dump]") {
  const TemporaryDirectory directory;
  const Document document = opened(small_dump(directory, {{"tokens", R"(["The", " cat", "sat\n"])"},
                                                          {"causal", "true"},
                                                          {"positions_applied", "false"},
                                                          {"rope_base", "500000.0"},
                                                          {"rope_dims", "2"},
                                                          {"rope_interleaved", "true"},
                                                          {"scale", "0.25"},
                                                          {"format", "pt"}}));
  CHECK(texts_of(document.input.sequences[0].tokens) == std::vector<std::string>{"The", " cat", "sat↵"});
  CHECK(document.layer().masking.causal);
  CHECK(document.layer().positions == Positions::RopeInterleaved);
  CHECK(document.layer().position_settings.rope_base == 500000);
  CHECK(document.layer().position_settings.rope_dims == 2);
  CHECK(document.layer().scaling == Scaling{Scaling::Kind::Factor, 0.25f});
  CHECK(document.input.given().guesses == Guesses{});

  const Document other = opened(small_dump(directory, {{"text", "The cat sat"},
                                                       {"causal", "false"},
                                                       {"positions_applied", "true"},
                                                       {"scale", "1/sqrt(d_k)"}}));
  CHECK(texts_of(other.input.sequences[0].tokens) == std::vector<std::string>{"The", "cat", "sat"});
  CHECK_FALSE(other.layer().masking.causal);
  CHECK(other.layer().positions == Positions::None);
  CHECK(other.layer().scaling == Scaling{});
  CHECK_FALSE(other.input.given().guesses.any());
  CHECK(opened(small_dump(directory, {{"scale", "off"}})).layer().scaling.kind == Scaling::Kind::Off);
}

TEST_CASE("metadata that is wrong is refused by its name", "[dump]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& key, const std::string& value, const std::string& said) {
    CAPTURE(key, value);
    CHECK_THAT(refusal_of(small_dump(directory, {{key, value}})), ContainsSubstring("metadata") &&
                                                                      ContainsSubstring('"' + key + '"') &&
                                                                      ContainsSubstring(said));
  };
  refused("causal", "yes", "is \"yes\", expected \"false\" or \"true\"");
  refused("positions_applied", "1", "expected \"false\" or \"true\"");
  refused("rope_base", "1", "expected a number above 1");
  refused("rope_base", "many", "is \"many\"");
  refused("rope_dims", "3", "even number");
  refused("rope_dims", "6", "expected at most 4");
  refused("rope_interleaved", "maybe", "\"maybe\"");
  refused("scale", "1/8", "is \"1/8\", expected a number");
  refused("scale", "inf", "expected a number");
  refused("tokens", R"(["The", "cat"])", "lists 2, expected 3");
  refused("tokens", R"([["The", "cat", "sat"], ["a", "b", "c"]])", "has 2 lists, expected 1");
  refused("tokens", "The cat sat", "expected a JSON array of strings");
  refused("tokens", R"(["The", 7, "sat"])", "holds 7 at place 1");
  // Shortened, but not within a character.
  CHECK(is_valid_utf8(
      refusal_of(small_dump(directory, {{"tokens", R"(["The", ["aäääääääääääääääääääääääää"], "sat"])"}}))));
  // A label is no reason to refuse numbers.
  CHECK(texts_of(
            opened(small_dump(directory, {{"tokens", R"(["The", "", "sat"])"}})).input.sequences[0].tokens) ==
        std::vector<std::string>{"The", "\"\"", "sat"});
  refused("text", "The cat sat down", "as many words and marks as 4, expected 3");
  refused("W_O_layout", "transposed", "expected \"input first\" or \"output first\"");
}

TEST_CASE("a file beside arrays says what they are", "[dump]") {
  const TemporaryDirectory directory;
  for (const char* name : {"l0_q.npy", "l0_k.npy", "l0_v.npy"})
    write_npy(directory / name, random_tensor({1, 3, 4}, 1));
  const auto say = [&](const std::string& text) { std::ofstream(directory / "attnscope.json") << text; };
  say(R"({"tokens": ["a", "b", "c"], "causal": true, "positions_applied": false, "rope_base": 100, "scale": 0.5})");
  const Document document = opened(directory / "l0_q.npy");
  CHECK(texts_of(document.input.sequences[0].tokens) == std::vector<std::string>{"a", "b", "c"});
  CHECK(document.layer().masking.causal);
  CHECK(document.layer().positions == Positions::RopeHalf);
  CHECK(document.layer().position_settings.rope_base == 100);
  CHECK(document.layer().scaling.factor == 0.5f);
  const auto refusal = [&] { return message_of<Error>([&] { open_document(directory / "l0_q.npy"); }); };
  say(R"({"token": ["a"]})");
  CHECK_THAT(refusal(), ContainsSubstring("attnscope.json") && ContainsSubstring("\"token\" is not known"));
  say(R"({"causal": 1})");
  CHECK_THAT(refusal(), ContainsSubstring("attnscope.json") && ContainsSubstring("\"causal\" is \"1\""));
  say("[1]");
  CHECK_THAT(refusal(), ContainsSubstring("holds no object"));
  say("{");
  CHECK_THAT(refusal(), ContainsSubstring("attnscope.json"));
}

TEST_CASE("Q, K and V have metadata and guesses, too", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor q = random_tensor({1, 2, 3, 4}, 1);
  const std::array tensors{NamedTensor{"Q", &q}, NamedTensor{"K", &q}, NamedTensor{"V", &q}};
  const std::filesystem::path path = directory / "x.safetensors";
  write_safetensors(path, tensors, {{"tokens", R"(["a","b","c"])"}, {"causal", "true"}, {"scale", "2"}});
  const Document said = opened(path);
  CHECK(said.layer().masking.causal);
  CHECK(said.layer().scaling.factor == 2);
  CHECK(said.input.sequences[0].text == "a b c");
  CHECK(said.input.given().guesses.causal.empty());
  CHECK_FALSE(said.input.given().guesses.positions.empty());
  write_safetensors(path, tensors);
  const Document guessed = opened(path);
  CHECK_FALSE(guessed.layer().masking.causal);
  CHECK(guessed.input.given().guesses.causal == "Nothing in the file says so.");
}

TEST_CASE("what a dump does not say is guessed from its names", "[dump]") {
  const TemporaryDirectory directory;
  const auto guess = [&](const std::string& file, const std::string& q, const std::string& k,
                         const std::string& v) {
    const Tensor values = random_tensor({1, 2, 4, 4}, 1);
    write_safetensors(directory / file,
                      std::array{NamedTensor{q, &values}, NamedTensor{k, &values}, NamedTensor{v, &values}});
    return opened(directory / file);
  };
  const Document gpt = guess("gpt2.safetensors", "h.0.q", "h.0.k", "h.0.v");
  CHECK(gpt.layer().masking.causal);
  CHECK(gpt.input.given().guesses.causal == "\"gpt\" in the names belongs to decoders.");
  CHECK(gpt.layer().positions == Positions::None);
  CHECK(gpt.input.given().guesses.positions ==
        "\"gpt\" in the names belongs to models without rotary positions.");
  const Document bert =
      guess("d.safetensors", "bert.encoder.layer.0.q", "bert.encoder.layer.0.k", "bert.encoder.layer.0.v");
  CHECK_FALSE(bert.layer().masking.causal);
  CHECK_THAT(bert.input.given().guesses.causal, ContainsSubstring("\"encoder\""));
  const Document llama =
      guess("llama.safetensors", "blocks.0.attn.hook_q", "blocks.0.attn.hook_k", "blocks.0.attn.hook_v");
  CHECK(llama.layer().masking.causal);
  CHECK(llama.layer().positions == Positions::RopeHalf);  // hook_q is before rotary positions
  CHECK_THAT(llama.input.given().guesses.positions,
             ContainsSubstring("\"hook_q\"") && ContainsSubstring("\"llama\""));
  const Document unknown = guess("d.safetensors", "a.q", "a.k", "a.v");
  CHECK_FALSE(unknown.layer().masking.causal);
  CHECK(unknown.input.given().guesses.causal == "Nothing in the file says so.");
  const Document cross =
      guess("gpt.safetensors", "x.crossattention.q", "x.crossattention.k", "x.crossattention.v");
  CHECK_FALSE(cross.layer().masking.causal);
}

TEST_CASE("rotated queries and keys of TransformerLens are preferred", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor plain = random_tensor({1, 5, 2, 4}, 1), rotated = random_tensor({1, 5, 2, 4}, 2),
               v = random_tensor({1, 5, 2, 3}, 3);
  const std::filesystem::path path = directory / "llama.safetensors";
  write_safetensors(
      path,
      std::array{NamedTensor{"blocks.0.attn.hook_q", &plain}, NamedTensor{"blocks.0.attn.hook_k", &plain},
                 NamedTensor{"blocks.0.attn.hook_v", &v}, NamedTensor{"blocks.0.attn.hook_rot_q", &rotated},
                 NamedTensor{"blocks.0.attn.hook_rot_k", &rotated}});
  const std::vector<LayerEntry> layers = open_with_layers(path).layers;
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].name == "blocks.0.attn.hook");
  const Document document = opened(path);
  CHECK(document.input.given().query->data()[0] == rotated.data()[0]);
  CHECK(document.input.given().value->shape() == Shape{1, 2, 5, 3});
  CHECK(document.layer().positions == Positions::None);
  CHECK(document.input.given().guesses.positions.empty());  // the name tells
  CHECK(document.layer().masking.causal);
}

TEST_CASE("whether weights are causal is measured", "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "w.safetensors";
  Tensor weights = causal_weights({2, 4, 4});
  write_safetensors(path, std::array{NamedTensor{"attn", &weights}});
  const Document causal = opened(path);
  CHECK(causal.input.given().holds == GivenTensors::Weights);
  CHECK(causal.layer().masking.causal);
  CHECK(causal.input.given().guesses.causal.empty());
  CHECK_FALSE(is_causal_guessed(causal));
  CHECK_FALSE(are_positions_guessed(causal));
  weights.data()[16 + 3] = 0.5f;  // head 1, query 0, key 3
  weights.data()[16] = 0.5f;
  write_safetensors(path, std::array{NamedTensor{"attn", &weights}});
  CHECK_FALSE(opened(path).layer().masking.causal);
  write_safetensors(path, std::array{NamedTensor{"attn", &weights}}, {{"causal", "true"}});
  CHECK_THAT(refusal_of(path), ContainsSubstring("\"causal\"") && ContainsSubstring("head 1 query 0") &&
                                   ContainsSubstring("key 3 a weight of 0.5"));
  // The last two of five tokens, behind a cache.
  const Tensor late({1, 2, 5}, {.25f, .25f, .25f, .25f, 0, .2f, .2f, .2f, .2f, .2f});
  write_safetensors(path, std::array{NamedTensor{"attn", &late}});
  const Document behind = opened(path);
  CHECK(behind.layer().masking.causal);
  CHECK(behind.input.given().lengths == std::vector<std::int64_t>{5});
  Pipeline pipeline(make_cpu_backend());
  const ResultPtr result = pipeline.run(behind, {}, nullptr, 1);
  REQUIRE(result->error.empty());
  CHECK(std::abs(result->layer().trace[Stage::Softmax]->data()[0] - .25f) < 1e-6f);
}

TEST_CASE("queries and keys without values open, what follows from values is not known", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor q = random_tensor({2, 3, 4}, 1);
  const std::filesystem::path path = directory / "x.safetensors";
  write_safetensors(path, std::array{NamedTensor{"h.0.q", &q}, NamedTensor{"h.0.k", &q}});
  CHECK(open_with_layers(path).layers[0].facts == "2 heads, 3 × 4, without \"h.0.v\"");
  const Document document = opened(path);
  CHECK(document.input.given().holds == GivenTensors::QueryKey);
  CHECK(check(document).d_v == 1);
  CHECK(knows_scores(document));
  CHECK_FALSE(knows_values(document));
  CHECK(is_known(document, Stage::Softmax));
  CHECK_FALSE(is_known(document, Stage::Mix));
  CHECK_FALSE(is_known(document, Stage::Output));
  const Document again = document_from_json(to_json(document), "x");
  CHECK(again.input.given().holds == GivenTensors::QueryKey);
  CHECK(again.input.given().guesses == document.input.given().guesses);
  CHECK(to_json(again) == to_json(document));
  // A layer without its keys says which.
  write_safetensors(path, std::array{NamedTensor{"h.0.Query", &q}, NamedTensor{"h.0.Value", &q}});
  CHECK_THAT(refusal_of(path), ContainsSubstring("layer \"h.0\" has \"h.0.Query\" but no \"h.0.Key\""));
  write_safetensors(path, std::array{NamedTensor{"mlp.up", &q}});
  CHECK_THAT(refusal_of(path), ContainsSubstring("none of its 1 tensors, \"mlp.up\","));
}

TEST_CASE("an output matrix beside the values gives the output", "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "x.safetensors";
  const Tensor q = random_tensor({2, 3, 4}, 1), v = random_tensor({2, 3, 3}, 2);
  const Tensor w = random_tensor({6, 5}, 3), bias = random_tensor({5}, 4);
  Tensor linear(Shape{5, 6});
  linear.matrix() = w.matrix().transpose();
  const auto open_with = [&](const std::string& name, const Tensor& matrix,
                             const std::map<std::string, std::string>& metadata = {}) {
    write_safetensors(path,
                      std::array{NamedTensor{"m.0.attn.q", &q}, NamedTensor{"m.0.attn.k", &q},
                                 NamedTensor{"m.0.attn.v", &v}, NamedTensor{name, &matrix},
                                 NamedTensor{"m.0.attn.b_O", &bias}, NamedTensor{"m.1.attn.W_O", &bias}},
                      metadata);
    return opened(path);
  };
  const Tensor heads = Tensor(w).reshaped(Shape{2, 3, 5});
  for (const Document& document : {open_with("m.0.attn.W_O", w), open_with("m.0.attn.W_O", heads),
                                   open_with("m.0.attn.o_proj.weight", linear),
                                   open_with("m.0.attn.o_proj.weight", w, {{"W_O_layout", "input first"}}),
                                   open_with("m.0.attn.W_O", linear, {{"W_O_layout", "output first"}})}) {
    CHECK(*document.layer().weights[Parameter::WOutput] == w);
    CHECK(*document.layer().weights[Parameter::BOutput] == bias);
    CHECK(check(document).d_model == 5);
    CHECK(to_json(document_from_json(to_json(document), "x")) == to_json(document));
  }
  Pipeline pipeline(make_cpu_backend());
  Document document = open_with("m.0.attn.W_O", w);
  document.loss.kind = Loss::Kind::Sum;
  const ResultPtr result = pipeline.run(document, {}, nullptr, 1);
  REQUIRE(result->error.empty());
  REQUIRE(result->layer().trace[Stage::Output]);
  const auto c = result->layer().trace[Stage::Concat]->matrix(0);
  for (int e = 0; e < 5; ++e) {
    double y = static_cast<double>(bias.data()[e]);
    for (int i = 0; i < 6; ++i) y += static_cast<double>(c(1, i)) * static_cast<double>(w.matrix()(i, e));
    CHECK(std::abs(y - static_cast<double>(result->layer().trace[Stage::Output]->matrix(0)(1, e))) < 1e-5);
  }
  REQUIRE(result->layer().gradients);
  // ∂Σ Y / ∂v: the weights' column sums times the row sums of W_O.
  const auto weights = result->layer().trace[Stage::Softmax]->matrix(0, 1);
  const double expected =
      static_cast<double>(weights.col(2).sum()) * static_cast<double>(w.matrix().row(3).sum());
  CHECK(std::abs(static_cast<double>(result->layer().gradients->value->matrix(0, 1)(2, 0)) - expected) <
        1e-5);

  const auto refused = [&](const std::string& name, const Tensor& matrix) {
    return message_of<Error>([&] { open_with(name, matrix); });
  };
  CHECK_THAT(refused("m.0.attn.W_O", linear),
             ContainsSubstring("\"m.0.attn.W_O\" has shape [5, 6]") && ContainsSubstring("heads · d_v = 6") &&
                 ContainsSubstring("\"W_O_layout\": \"output first\" turns it round"));
  CHECK_THAT(refused("m.0.attn.W_O", random_tensor({4, 4}, 5)), ContainsSubstring("has shape [4, 4]"));
}

TEST_CASE("another layer is shown with the settings of the one before", "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "x.safetensors";
  const Tensor a = random_tensor({2, 3, 4}, 1), b = random_tensor({2, 3, 4}, 2),
               weights = causal_weights({2, 3, 3});
  write_safetensors(path,
                    std::array{NamedTensor{"h.0.q", &a}, NamedTensor{"h.0.k", &a}, NamedTensor{"h.0.v", &a},
                               NamedTensor{"h.1.q", &b}, NamedTensor{"h.1.k", &b}, NamedTensor{"h.1.v", &b},
                               NamedTensor{"w.2.attn", &weights}});
  Document first = edit::causal(opened(path, "h.0"), true);
  first = edit::labels(std::move(first), 0, "The cat sat");
  first.layer().scaling = {Scaling::Kind::Factor, 0.1f};
  first.layer().temperature = 2;
  first.layer().positions = Positions::RopeHalf;
  first.layer().masking.window.left = 1;
  first.layer().masking.additive = std::make_shared<const Tensor>(Shape{1, 2, 3, 3});
  const Document second = edit::with_settings_of(opened(path, "h.1"), first);
  CHECK(second.title == "x.safetensors · h.1");
  CHECK(second.input.given().query->data()[0] == b.data()[0]);
  CHECK(second.layer().masking == first.layer().masking);
  CHECK(second.layer().scaling == first.layer().scaling);
  CHECK(second.layer().temperature == 2);
  CHECK(second.layer().positions == Positions::RopeHalf);
  CHECK(second.input.sequences == first.input.sequences);
  CHECK(second.input.given().guesses == first.input.given().guesses);
  CHECK_FALSE(is_causal_guessed(second));  // it was answered for the file
  CHECK(are_positions_guessed(second));
  const Document third = edit::with_settings_of(opened(path, "w.2.attn"), second);
  CHECK(third.layer().masking.additive != second.layer().masking.additive);  // the weights themselves
  CHECK(third.layer().masking.causal);
  CHECK(third.input.sequences == first.input.sequences);
  const Document back = edit::with_settings_of(opened(path, "h.0"), third);
  CHECK(back.layer().scaling == first.layer().scaling);
  CHECK(back.layer().positions == Positions::RopeHalf);
  CHECK_FALSE(back.layer().masking.additive);
  CHECK(are_positions_guessed(back));
}

TEST_CASE("labels of given tensors are typed", "[dump]") {
  const TemporaryDirectory directory;
  Document document = opened(small_dump(directory, {}));
  document = edit::labels(std::move(document), 0, "The  cat");
  CHECK(document.input.sequences[0].text == "The  cat");
  CHECK(texts_of(document.input.sequences[0].tokens) == std::vector<std::string>{"0", "1", "2"});
  document = edit::labels(std::move(document), 0, "The  cat\nsat");
  CHECK(texts_of(document.input.sequences[0].tokens) == std::vector<std::string>{"The", "cat", "sat"});
  CHECK(to_json(document_from_json(to_json(document), "x")) == to_json(document));
  document = edit::labels(std::move(document), 0, R"(["The", "big cat", "sat"])");
  CHECK(document.input.sequences[0].tokens[1] == "big cat");
  document = edit::labels(std::move(document), 0, "");
  CHECK(texts_of(document.input.sequences[0].tokens) == std::vector<std::string>{"0", "1", "2"});
  std::size_t found = 0;
  CHECK(edit::labels_of("a b c d", 3, found).empty());
  CHECK(found == 4);
}

}  // namespace attnscope::dump_facts_test
