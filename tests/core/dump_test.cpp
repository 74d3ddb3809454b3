// Dumps of programs: layers found by names, their numbers, and refusals.
#include "core/files/import/dump.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"
#include "core/dumps.hpp"
#include "core/engine/pipeline.hpp"
#include "core/engine/survey.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/streaming/tile.hpp"
#include "support/sparse_weights.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::dump_test {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<std::string> names_of(const std::vector<LayerNames>& layers) {
  std::vector<std::string> names;
  for (const LayerNames& layer : layers) names.push_back(layer.name);
  return names;
}

}  // namespace

TEST_CASE("an output matrix belongs to the layer that shares most of its name", "[dump]") {
  const auto output_of = [](std::vector<std::string> others) {
    std::vector<NamedRank> tensors{{"m.h.3.attn.q", 3}, {"m.h.3.attn.k", 3}, {"m.h.3.attn.v", 3}};
    for (std::string& name : others) tensors.push_back({std::move(name), 2});
    const std::vector<LayerNames> layers = find_layers(tensors);
    return layers.size() == 1 ? layers[0].output : "no layer";
  };
  CHECK(output_of({"m.h.3.W_O", "m.h.3.attn.W_O"}) == "m.h.3.attn.W_O");
  CHECK(output_of({"m.h.3.W_O", "m.h.W_O"}) == "m.h.3.W_O");
  CHECK(output_of({"m.h.W_O", "W_O", "h.3.W_O"}).empty());  // without the number, or from elsewhere
  CHECK(output_of({"m.h.3.attn.out_proj.weight", "m.h.3.attn.W_O"}) == "m.h.3.attn.out_proj.weight");
  CHECK(output_of({"m.h.3.attn.v.W_O", "m.h.3.attn.W_O"}) == "m.h.3.attn.v.W_O");
  CHECK(output_of({"M/H/3/attn.wo.weight"}) == "M/H/3/attn.wo.weight");
  CHECK(output_of({"m.h.3.attn.x.W_O"}).empty());
}

TEST_CASE("a dump of 33,000 layers opens in a moment", "[dump]") {
  constexpr int layers = 33'000;
  std::vector<NamedRank> tensors;
  for (int layer = 0; layer < layers; ++layer)
    for (const char* what : {"q", "k", "v", "W_O"})
      tensors.push_back({"h." + std::to_string(layer) + ".attn." + what, what[0] == 'W' ? 2 : 3});
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<LayerNames> found = find_layers(tensors);
  REQUIRE(found.size() == layers);
  CHECK(found[layers - 1].output == "h.32999.attn.W_O");
  const TemporaryDirectory directory;
  const Tensor weights(Shape{1, 1, 1}, {1});
  std::vector<NamedTensor> named;
  for (int layer = 0; layer < layers; ++layer) named.push_back({"attn." + std::to_string(layer), &weights});
  write_safetensors(directory / "many.safetensors", named);
  const DocumentAndLayers opened = open_with_layers(directory / "many.safetensors");
  REQUIRE(opened.layers.size() == layers);
  CHECK(opened.layers.back().facts == "weights of 1 head, 1 × 1");
  // Takes one second; a search of all names for each layer would take more than a minute.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("layers are found among names", "[dump]") {
  const std::array<NamedRank, 15> tensors{{{"layers.10.attn.q", 4},
                                           {"layers.10.attn.k", 4},
                                           {"layers.10.attn.v", 4},
                                           {"layers.2.attn.q", 4},
                                           {"layers.2.attn.k", 4},
                                           {"layers.2.attn.v", 4},
                                           {"layers.2.attn.q_proj.weight", 2},
                                           {"layers.2.attn.k_proj.weight", 2},
                                           {"layers.2.attn.v_proj.weight", 2},
                                           {"blocks.0.attn.hook_pattern", 4},
                                           {"attentions.3", 4},
                                           {"embed.weight", 2},
                                           {"lone.query", 3},
                                           {"lone.value", 3},
                                           {"norm.attn", 3}}};
  const std::vector<LayerNames> layers = find_layers(tensors);
  CHECK(names_of(layers) == std::vector<std::string>{"attentions.3", "blocks.0.attn.hook_pattern",
                                                     "layers.2.attn", "layers.10.attn"});
  CHECK(layers[2] ==
        LayerNames{"layers.2.attn", "layers.2.attn.q", "layers.2.attn.k", "layers.2.attn.v", {}});
  CHECK(layers[0].weights == "attentions.3");
}

TEST_CASE("words of names are cut where letters, digits and signs meet", "[dump]") {
  for (const auto& [q, k, v, name] : std::vector<std::array<std::string, 4>>{
           {"Q", "K", "V", ""},
           {"q0", "k0", "v0", "0"},
           {"layer3_query_states", "layer3_key_states", "layer3_value_states", "layer3_states"},
           {"block/1/Queries", "block/1/Keys", "block/1/Values", "block/1"},
           {"blk.7.hook_q", "blk.7.hook_k", "blk.7.hook_v", "blk.7.hook"}}) {
    const std::vector<LayerNames> layers = find_layers(std::array<NamedRank, 3>{{{v, 3}, {q, 3}, {k, 3}}});
    REQUIRE(layers.size() == 1);
    CHECK(layers[0] == LayerNames{name, q, k, v, {}});
  }
  CHECK(find_layers(std::array<NamedRank, 3>{{{"a.q", 4}, {"b.k", 4}, {"a.v", 4}}}).empty());
  CHECK(find_layers(std::array<NamedRank, 3>{{{"q", 1}, {"k", 1}, {"v", 1}}}).empty());
  CHECK(find_layers(std::array<NamedRank, 1>{{{"attn", 2}}}).empty());
  CHECK(find_layers(std::array<NamedRank, 1>{{{"attn", 2}}}, true).size() == 1);
}

TEST_CASE("a layer of a dump is opened by its name", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor q0 = random_tensor({2, 5, 4}, 1), k0 = random_tensor({2, 6, 4}, 2),
               v0 = random_tensor({2, 6, 3}, 3);
  const Tensor q1 = random_tensor({1, 5, 2, 4}, 4), k1 = random_tensor({1, 6, 2, 4}, 5),
               v1 = random_tensor({1, 6, 2, 3}, 6);
  const std::array tensors{NamedTensor{"h.0.q", &q0},      NamedTensor{"h.0.k", &k0},
                           NamedTensor{"h.0.v", &v0},      NamedTensor{"h.1.hook_q", &q1},
                           NamedTensor{"h.1.hook_k", &k1}, NamedTensor{"h.1.hook_v", &v1}};
  const std::filesystem::path path = directory / "dump.safetensors";
  write_safetensors(path, tensors);

  const std::vector<LayerEntry> layers = open_with_layers(path).layers;
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].name == "h.0");
  CHECK(layers[0].facts == "2 heads, 5 × 4");
  CHECK(layers[1].name == "h.1.hook");
  CHECK(layers[1].facts == "2 heads, 5 × 4");  // tokens before heads

  const Document first = open_document(path);
  CHECK(first.title == "dump.safetensors · h.0");
  CHECK(first.title == layers[0].title);
  CHECK(*first.input.given().query == Tensor(q0).reshaped(Shape{1, 2, 5, 4}));
  CHECK(first.input.sequences[0].tokens.size() == 6);

  const Document second = open_document(path, "h.1.hook");  // tokens before heads
  const Tensor& query = *second.input.given().query;
  CHECK(query.shape() == Shape{1, 2, 5, 4});
  CHECK(query.data()[(1 * 5 + 3) * 4 + 2] == q1.data()[(3 * 2 + 1) * 4 + 2]);
  CHECK(check(second).d_v == 3);

  CHECK_THAT(refusal_of(path, "h.7"), ContainsSubstring("h.7") && ContainsSubstring("h.0, h.1.hook"));
  std::ofstream(directory / "a.txt") << "a text";
  CHECK_THAT(refusal_of(directory / "a.txt", "h.0"), ContainsSubstring("no layers"));
  CHECK(open_with_layers(directory / "a.txt").layers.empty());
  CHECK_THROWS_AS(open_with_layers(directory / "none.safetensors"), Error);
}

TEST_CASE("a layer with learned sinks beside its queries is refused by their name", "[dump]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "sinks.safetensors";
  const Tensor q = random_tensor({2, 3, 4}, 1), sinks = random_tensor({2}, 2);
  const auto write = [&](const std::string& name) {
    write_safetensors(path,
                      std::vector<NamedTensor>{{"l.0.q", &q}, {"l.0.k", &q}, {"l.0.v", &q}, {name, &sinks}});
  };
  write("l.1.sinks");
  CHECK_NOTHROW(open_document(path));
  write("l.0.sinks");
  CHECK_THAT(refusal_of(path), ContainsSubstring("\"l.0.sinks\""));
}

TEST_CASE("the metadata of a dump says where its tokens are", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor q = random_tensor({5, 2, 4}, 1);
  const std::array tensors{NamedTensor{"a.q", &q}, NamedTensor{"a.k", &q}, NamedTensor{"a.v", &q}};
  const std::filesystem::path path = directory / "x.safetensors";
  write_safetensors(path, tensors, {{"layout", "tokens first"}});
  CHECK(open_document(path).input.given().query->shape() == Shape{1, 2, 5, 4});
  write_safetensors(path, tensors, {{"layout", "heads first"}});
  CHECK(open_document(path).input.given().query->shape() == Shape{1, 5, 2, 4});
  write_safetensors(path, tensors, {{"layout", "bnhd"}});
  CHECK_THAT(refusal_of(path), ContainsSubstring("\"bnhd\"") && ContainsSubstring("tokens first"));
}

TEST_CASE("arrays side by side are a dump as well", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor q = random_tensor({3, 5, 4}, 1);
  for (const std::string layer : {"0", "1"})
    for (const std::string part : {"q", "k", "v"})
      write_npy(directory / ("layer" + layer + "_" + part + ".npy"), q);
  std::ofstream(directory / "broken.npy") << "no array";
  const Document document = open_document(directory / "layer1_k.npy");
  CHECK(document.title == "layer1_k.npy · layer1");
  CHECK(*document.input.given().query == Tensor(q).reshaped(Shape{1, 3, 5, 4}));
  CHECK(open_with_layers(directory / "layer1_k.npy").layers.size() == 2);
  CHECK(open_document(directory / "layer1_k.npy", "layer0").title == "layer1_k.npy · layer0");
}

TEST_CASE("weights alone are shown as they are", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor weights = causal_weights({2, 3, 6, 6});
  const std::filesystem::path path = directory / "w.safetensors";
  write_safetensors(path, std::array{NamedTensor{"layers.0.attn_weights", &weights}});
  CHECK(open_with_layers(path).layers[0].facts == "weights of 3 heads, 6 × 6");
  Pipeline pipeline(make_cpu_backend());
  const ResultPtr result = pipeline.run(open_document(path), {}, nullptr, 1);
  REQUIRE(result->error.empty());
  const Tensor& shown = *result->layer().trace[Stage::Softmax];
  REQUIRE(shown.shape() == weights.shape());
  for (std::int64_t i = 0; i < weights.size(); ++i)
    CHECK(std::abs(shown.data()[i] - weights.data()[i]) <= 1e-6f);
  CHECK(result->layer().measures.row(1, 2, 3).allowed == 4);  // a weight of 0 is a hidden key
  double entropy = 0;
  for (int j = 0; j < 4; ++j) {
    const double w = static_cast<double>(weights.data()[((1 * 3 + 2) * 6 + 3) * 6 + j]);
    entropy -= w * std::log(w);
  }
  CHECK(std::abs(result->layer().measures.row(1, 2, 3).entropy - entropy) < 1e-6);

  const Tensor square = causal_weights({4, 4});
  write_npy(directory / "attention.npy", square);
  CHECK(check(open_document(directory / "attention.npy")).keys == 4);
}

TEST_CASE("weights of more cells than are kept at once are shown as a long sequence", "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "w.safetensors";
  constexpr std::int64_t heads = 3, n = 3400;
  static_assert(heads * n * n > max_cells);
  test::write_sparse_weights(path, "layers.0.attn_weights", heads, n);
  Reading reading;
  const Document document = open_document(path, {}, &reading);
  CHECK(is_long(check_any_length(document)));
  CHECK(reading.done == reading.total);
  CHECK(reading.share() == 1);
  Pipeline pipeline(make_cpu_backend());
  const ResultPtr result = pipeline.run(document, {}, nullptr, 1);
  REQUIRE(result->error.empty());
  REQUIRE(result->layer().is_long());
  const Survey& survey = *result->layer().surveys[0];
  CHECK(survey.known.largest.matrix()(2, 1) > 0.7499f);
  ThreadPool pool(1);
  const TileRequest request{.head = 2, .rows = {3000, 3003, 1}, .first_key = 2998, .last_key = 3003};
  const Tensor shown = tile(survey.problem(), request, &survey.known, Work{pool, {}});
  const float expected[3][5] = {{0, .25f, .75f, 0, 0}, {0, 0, .25f, .75f, 0}, {0, 0, 0, .25f, .75f}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) CHECK(std::abs(shown.matrix()(i, j) - expected[i][j]) <= 1e-6f);
}

TEST_CASE("a file that is not wanted any more is not read to its end", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor one = random_tensor(Shape{2, 600, 512}, 1);  // three pieces
  write_safetensors(
      directory / "h.safetensors",
      std::array{NamedTensor{"h.0.q", &one}, NamedTensor{"h.0.k", &one}, NamedTensor{"h.0.v", &one}});
  const Tensor batch = random_tensor(Shape{1, 2, 600, 512}, 1);
  write_safetensors(directory / "given.safetensors",
                    std::array{NamedTensor{"Q", &batch}, NamedTensor{"K", &batch}, NamedTensor{"V", &batch}});
  for (const char* name : {"Q.npy", "K.npy", "V.npy", "l_q.npy", "l_k.npy", "l_v.npy"})
    write_npy(directory / name, one);
  for (const char* name : {"h.safetensors", "given.safetensors", "Q.npy", "l_q.npy"}) {
    CAPTURE(name);
    std::stop_source stop;
    Reading reading{stop.get_token()};
    CHECK_NOTHROW(open_document(directory / name, {}, &reading));
    CHECK(reading.total == 3u * 2 * 600 * 512);
    CHECK(reading.done == reading.total);
    stop.request_stop();
    Reading again{stop.get_token()};
    CHECK_THROWS_AS(open_document(directory / name, {}, &again), Cancelled);
    CHECK(again.done < again.total / 3);  // one piece
  }
}

TEST_CASE("what are no weights is refused", "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "w.safetensors";
  const auto sentence_with = [&](float value) {
    Tensor weights = causal_weights({1, 2, 4, 4});
    weights.data()[16 + 5] = value;  // head 1, query 1, key 1
    write_safetensors(path, std::array{NamedTensor{"attn", &weights}});
    return refusal_of(path);
  };
  CHECK_THAT(sentence_with(-0.1f), ContainsSubstring("-0.1") && ContainsSubstring("from 0 to 1"));
  CHECK_THAT(sentence_with(NAN), ContainsSubstring("nan"));
  CHECK_THAT(sentence_with(2), ContainsSubstring("head 1, query 1") && ContainsSubstring("add up to 1"));
  const Tensor none(Shape{1, 2, 0, 4});
  write_safetensors(path, std::array{NamedTensor{"attn", &none}});
  CHECK_THAT(refusal_of(path), ContainsSubstring("at least 1"));
  Tensor padding = causal_weights({1, 1, 3, 3});
  std::fill_n(padding.data() + 3, 3, 0.0f);  // a row of padding
  write_safetensors(path, std::array{NamedTensor{"attn", &padding}});
  CHECK_NOTHROW(open_document(path));
}

TEST_CASE("a file of 4 TB opens at once, a layer too large for the memory is refused before it is read",
          "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "large.safetensors";
  // Layer 0 has 64 tokens; layer 1 fills the rest of 4 TiB, all zeros in a file with holes.
  const std::string header =
      R"({"l.0.q":{"dtype":"F32","shape":[2,64,8],"data_offsets":[0,4096]},)"
      R"("l.0.k":{"dtype":"F32","shape":[2,64,8],"data_offsets":[4096,8192]},)"
      R"("l.0.v":{"dtype":"F32","shape":[2,64,8],"data_offsets":[8192,12288]},)"
      R"("l.1.q":{"dtype":"F32","shape":[2,64,8],"data_offsets":[12288,16384]},)"
      R"("l.1.k":{"dtype":"F32","shape":[2,34359738368,8],"data_offsets":[16384,2199023271936]},)"
      R"("l.1.v":{"dtype":"F32","shape":[2,34359738368,8],"data_offsets":[2199023271936,4398046527488]}})";
  const std::uint64_t length = header.size();
  {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&length), 8);
    out << header;
  }
  std::error_code full;
  std::filesystem::resize_file(path, 8 + length + 4398046527488, full);
  if (full) SKIP("no file of 4 TiB can be made here: " << full.message());
  CHECK(open_with_layers(path).layers.size() == 2);
  CHECK(check(open_document(path)).queries == 64);
  CHECK_THAT(refusal_of(path, "l.1"), ContainsSubstring("this machine has"));
}

TEST_CASE("a file that shrinks while it is read is an error, not a signal", "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "x.safetensors";
  const Tensor values = random_tensor({1, 1, 4096, 64}, 1);
  write_safetensors(path, std::array{NamedTensor{"Q", &values}});
  const SafetensorsFile file(path);
  const TensorEntry* entry = file.find("Q");
  REQUIRE(entry != nullptr);
  std::filesystem::resize_file(path, 4096);
  CHECK_THAT(message_of<Error>([&] { to_tensor<float>(*entry, path); }), ContainsSubstring("x.safetensors"));
}

}  // namespace attnscope::dump_test
