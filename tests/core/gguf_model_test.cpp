// A GGUF file as a model: the same numbers as the folder that it was made from, its tokenizer, and refusals.
#include "core/models/reading/gguf_model.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/gguf_samples.hpp"
#include "core/models/opened/model_shapes.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_model.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::gguf_model_test {
namespace {

using namespace gguf_samples;
using Catch::Matchers::ContainsSubstring;
using test::TemporaryDirectory;

constexpr int d = 16, heads = 4, kv_heads = 2, d_k = 4, inner = 24, tokens = 11, blocks = 2;

/// A tensor under its names in both formats.
struct Both {
  std::string folder, gguf;
  Tensor tensor;
  int turned_heads = 0;  // of W_Q and W_K: llama's files have each head's rows in the order of rotary pairs
};

std::vector<Both> llama() {
  std::vector<Both> all;
  const auto add = [&](std::string folder, std::string gguf, Shape shape, int turned = 0) {
    Tensor tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      tensor.data()[i] =
          static_cast<float>((shape.rank() == 1 ? 1 : 0) +
                             0.3 * random_normal(11, stream_of(folder), static_cast<std::uint64_t>(i)));
    all.push_back({std::move(folder), std::move(gguf), std::move(tensor), turned});
  };
  add("model.embed_tokens", "token_embd", {tokens, d});
  add("model.norm", "output_norm", {d});
  add("lm_head", "output", {tokens, d});
  for (int i = 0; i < blocks; ++i) {
    const auto block = [&](const char* folder, const char* gguf, Shape shape, int turned = 0) {
      add(fmt::format("model.layers.{}.{}", i, folder), fmt::format("blk.{}.{}", i, gguf), shape, turned);
    };
    block("input_layernorm", "attn_norm", {d});
    block("self_attn.q_proj", "attn_q", {heads * d_k, d}, heads);
    block("self_attn.k_proj", "attn_k", {kv_heads * d_k, d}, kv_heads);
    block("self_attn.v_proj", "attn_v", {kv_heads * d_k, d});
    block("self_attn.o_proj", "attn_output", {d, heads * d_k});
    block("post_attention_layernorm", "ffn_norm", {d});
    block("mlp.gate_proj", "ffn_gate", {inner, d});
    block("mlp.up_proj", "ffn_up", {inner, d});
    block("mlp.down_proj", "ffn_down", {d, inner});
  }
  return all;
}

/// Row i + s·d_k/2 of each head becomes row 2i + s.
Tensor in_pairs(const Tensor& w, int of_heads) {
  Tensor turned(w.shape());
  for (int h = 0; h < of_heads; ++h)
    for (int i = 0; i < d_k / 2; ++i)
      for (int s = 0; s < 2; ++s)
        turned.matrix().row(h * d_k + 2 * i + s) = w.matrix().row(h * d_k + s * d_k / 2 + i);
  return turned;
}

void write_folder(const std::filesystem::path& folder, const std::vector<Both>& tensors) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << fmt::format(
      R"({{"model_type": "llama", "hidden_size": {}, "num_attention_heads": {}, "num_key_value_heads": {},
          "intermediate_size": {}, "num_hidden_layers": {}, "vocab_size": {}, "rms_norm_eps": 1e-5,
          "rope_theta": 500, "max_position_embeddings": 64}})",
      d, heads, kv_heads, inner, blocks, tokens);
  std::vector<NamedTensor> named;
  for (const Both& one : tensors) named.push_back({one.folder + ".weight", &one.tensor});
  write_safetensors(folder / "model.safetensors", named);
}

GgufSample gguf(const std::vector<Both>& tensors) {
  GgufSample file;
  file.value("general.architecture", STRING, text("llama"));
  const auto whole = [&](const char* key, std::uint32_t value) { file.value(key, U32, u32(value)); };
  whole("llama.block_count", blocks);
  whole("llama.embedding_length", d);
  whole("llama.feed_forward_length", inner);
  whole("llama.context_length", 64);
  whole("llama.attention.head_count", heads);
  whole("llama.attention.head_count_kv", kv_heads);
  file.value("llama.attention.layer_norm_rms_epsilon", F32, le(1e-5f));
  file.value("llama.rope.freq_base", F32, le(500.0f));
  for (const Both& one : tensors) {
    const Tensor tensor = one.turned_heads > 0 ? in_pairs(one.tensor, one.turned_heads) : one.tensor;
    const std::string bytes(reinterpret_cast<const char*>(tensor.data()), tensor.values().size_bytes());
    const auto rows = static_cast<std::uint64_t>(tensor.shape()[0]);
    if (tensor.shape().rank() == 1)
      file.tensor(one.gguf + ".weight", {rows}, ggml_f32, bytes);
    else
      file.tensor(one.gguf + ".weight", {static_cast<std::uint64_t>(tensor.shape()[1]), rows}, ggml_f32,
                  bytes);
  }
  return file;
}

void write(const std::filesystem::path& path, const GgufSample& file) {
  std::ofstream(path, std::ios::binary) << file.bytes();
}

ModelInput some_tokens() {
  ModelInput input;
  for (std::int64_t i = 0; i < 20; ++i) input.ids.push_back(i * 7 % tokens);
  return input;
}

}  // namespace

TEST_CASE("a GGUF file gives the numbers of the folder that it was made from", "[models][gguf]") {
  const TemporaryDirectory directory;
  const std::vector<Both> tensors = llama();
  write_folder(directory / "folder", tensors);
  write(directory / "model.gguf", gguf(tensors));
  const ModelPtr folder = open_model(directory / "folder"), file = open_model(directory / "model.gguf");
  CHECK(file->spec.family == "Llama");
  CHECK(file->ignored.empty());
  CHECK(file->used.size() == tensors.size());
  const auto shapes = read_model_shapes(directory / "model.gguf"),
             of_folder = read_model_shapes(directory / "folder");
  REQUIRE((shapes && of_folder));
  CHECK(shapes->blocks == of_folder->blocks);
  CHECK(shapes->vocabulary == of_folder->vocabulary);
  ThreadPool pool(2);
  const Work work{pool, {}};
  const ModelRun expected = run_model(*folder, some_tokens(), {}, work),
                 found = run_model(*file, some_tokens(), {}, work);
  REQUIRE(found.logits.values.size() == expected.logits.values.size());
  // The same sums in another order: a few roundings.
  for (std::size_t i = 0; i < found.logits.values.size(); ++i)
    CHECK(std::abs(found.logits.values[i] - expected.logits.values[i]) < 2e-5f);
  for (std::int64_t h = 0; h < heads; ++h) {
    const Tensor a = head_weights(*folder, expected, AttentionOf::Decoder, 1, h, work),
                 b = head_weights(*file, found, AttentionOf::Decoder, 1, h, work);
    CHECK((a.matrix() - b.matrix()).cwiseAbs().maxCoeff() < 2e-6f);
  }
}

TEST_CASE("frequencies that a GGUF file divides", "[models][gguf]") {
  const TemporaryDirectory directory;
  std::vector<Both> tensors = llama();
  GgufSample plain = gguf(tensors), divided = plain, linear = plain;
  const std::vector<float> twos{2, 2};
  divided.tensor("rope_freqs.weight", {2}, ggml_f32, {reinterpret_cast<const char*>(twos.data()), 8});
  linear.value("llama.rope.scaling.type", STRING, text("linear"))
      .value("llama.rope.scaling.factor", F32, le(2.0f));
  write(directory / "divided.gguf", divided);
  write(directory / "linear.gguf", linear);
  ThreadPool pool(1);
  const Work work{pool, {}};
  const ModelPtr a = open_model(directory / "divided.gguf"), b = open_model(directory / "linear.gguf");
  CHECK(run_model(*a, some_tokens(), {}, work).logits == run_model(*b, some_tokens(), {}, work).logits);
}

TEST_CASE("what a GGUF header says of positions, mask and experts counts", "[models][gguf]") {
  const TemporaryDirectory directory;
  const std::vector<Both> tensors = llama();
  const auto spec = [&](const std::function<void(GgufSample&)>& change) {
    GgufSample file = gguf(tensors);
    change(file);
    write(directory / "m.gguf", file);
    return *open_model(directory / "m.gguf")->spec.decoder;
  };
  CHECK(spec([](GgufSample&) {}).causal());
  CHECK_FALSE(spec([](GgufSample& file) {
                file.value("llama.attention.causal", BOOL, std::string(1, '\0'));
              }).causal());
  for (const char* key : {"llama.rope.scaling.factor", "llama.rope.scale_linear"}) {
    const StackSpec linear = spec([&](GgufSample& file) { file.value(key, F32, le(4.0f)); });
    CHECK(rope_of(linear.blocks[0]).scaling == RopeScaling::Linear);
    CHECK(rope_of(linear.blocks[0]).factor == 4);
  }
  const StackSpec yarn = spec([](GgufSample& file) {
    file.value("llama.rope.scaling.type", STRING, text("yarn"))
        .value("llama.rope.scaling.factor", F32, le(4.0f))
        .value("llama.rope.scaling.attn_factor", F32, le(0.5f))
        .value("llama.rope.scaling.yarn_attn_factor", F32, le(3.0f))
        .value("llama.rope.scaling.yarn_beta_fast", F32, le(16.0f))
        .value("llama.rope.scaling.yarn_beta_slow", F32, le(2.0f))
        .value("llama.rope.scaling.yarn_ext_factor", F32, le(-1.0f));
  });
  REQUIRE(rope_of(yarn.blocks[0]).magnitude);
  // Settings are floats.
  CHECK(std::abs(*rope_of(yarn.blocks[0]).magnitude - 1.5 * (0.1 * std::log(4.0) + 1)) < 1e-7);
  CHECK(rope_of(yarn.blocks[0]).fast == 16);
  CHECK(rope_of(yarn.blocks[0]).slow == 2);
  const auto refused = [&](const char* key, std::uint32_t type, const std::string& bytes) {
    GgufSample file = gguf(tensors);
    file.value(key, type, bytes);
    write(directory / "m.gguf", file);
    CHECK_THROWS_WITH(open_model(directory / "m.gguf"), ContainsSubstring(key));
  };
  refused("llama.expert_count", U32, u32(5000));
  refused("llama.attention.scale", F32, le(0.25f));
  refused("llama.attention.clamp_kqv", F32, le(8.0f));
  refused("llama.logit_scale", F32, le(0.1f));
  refused("llama.rope.scaling.attn_factor", F32, le(2.0f));
  CHECK_NOTHROW(spec([](GgufSample& file) {
    file.value("llama.expert_count", U32, u32(0)).value("llama.attention.scale", F32, le(0.5f));
  }));
}

TEST_CASE("Gemma 2 of GGUF has its window in every second block, from the first on", "[models][gguf]") {
  const TemporaryDirectory directory;
  GgufSample file;
  file.value("general.architecture", STRING, text("gemma2"));
  const auto whole = [&](const char* key, std::uint32_t value) { file.value(key, U32, u32(value)); };
  whole("gemma2.block_count", 3);
  whole("gemma2.embedding_length", 8);
  whole("gemma2.feed_forward_length", 4);
  whole("gemma2.context_length", 64);
  whole("gemma2.attention.head_count", 2);
  whole("gemma2.attention.sliding_window", 7);
  write(directory / "m.gguf", file);
  GgufTensors files(directory / "m.gguf");
  const ModelConfig config = read_gguf_config(files);
  REQUIRE(config.spec.decoder->blocks.size() == 3);
  CHECK(window_of(config.spec.decoder->blocks[0]) == 7);
  CHECK(window_of(config.spec.decoder->blocks[1]) == 0);
  CHECK(window_of(config.spec.decoder->blocks[2]) == 7);
}

TEST_CASE("a GGUF file that is no model of ours is refused in words", "[models][gguf]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "m.gguf";
  const std::vector<Both> tensors = llama();
  const auto refused = [&](const GgufSample& file, const std::string& words) {
    CAPTURE(words);
    write(path, file);
    CHECK_THROWS_WITH(open_model(path), ContainsSubstring("m.gguf") && ContainsSubstring(words));
  };
  refused(GgufSample().value("general.architecture", STRING, text("mamba")),
          "general.architecture is \"mamba\"");
  refused(GgufSample(), "general.architecture");
  GgufSample split = gguf(tensors);
  refused(split.value("split.count", U16, le(std::uint16_t{3})),
          "a name that ends with \"-00001-of-00003.gguf\"");
  std::vector<Both> fewer = tensors;
  fewer.erase(fewer.begin() + 4);
  refused(gguf(fewer), "has no tensor \"blk.0.attn_q.weight\"; one of shape [16, 16]");
  std::vector<Both> other = tensors;
  other[4].tensor = Tensor(Shape{12, d});
  other[4].turned_heads = 0;
  refused(gguf(other), "has shape [12, 16]; [16, 16] was expected");
  GgufSample scaled = gguf(tensors);
  refused(scaled.value("llama.rope.scaling.type", STRING, text("longrope")),
          "llama.rope.scaling.type is \"longrope\"");
}

TEST_CASE("a GGUF file's tokenizer", "[models][gguf][tokenizers]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "t.gguf";
  const auto made = [](std::string_view pre, bool begin) {
    GgufSample file;
    file.value("tokenizer.ggml.model", STRING, text("gpt2")).value("tokenizer.ggml.pre", STRING, text(pre));
    file.value("tokenizer.ggml.tokens", ARRAY,
               array(STRING, {text("<|start|>"), text("a"), text("b"), text("1"), text("2"), text("ab"),
                              text("Ġ"), text("Ġa"), text("12")}));
    file.value("tokenizer.ggml.token_type", ARRAY,
               array(I32, {u32(3), u32(1), u32(1), u32(1), u32(1), u32(1), u32(1), u32(1), u32(1)}));
    file.value("tokenizer.ggml.merges", ARRAY, array(STRING, {text("a b"), text("Ġ a"), text("1 2")}));
    file.value("tokenizer.ggml.bos_token_id", U32, u32(0));
    file.value("tokenizer.ggml.add_bos_token", BOOL, std::string(1, begin ? '\1' : '\0'));
    return file;
  };
  using Ids = std::vector<tokenizers::Id>;
  write(path, made("gpt-2", false));
  const auto plain = tokenizers::load_tokenizer(path);
  CHECK(plain->encode("ab a12").ids() == Ids{5, 7, 8});
  CHECK(plain->encode("<|start|>ab").ids() == Ids{0, 5});
  CHECK(plain->decode(Ids{5, 7, 8}) == "ab a12");
  write(path, made("smollm", true));
  // Every digit stands alone, and what the file asks for comes first.
  CHECK(tokenizers::load_tokenizer(path)->encode("ab a12").ids() == Ids{0, 5, 7, 3, 4});
  // -1, as an unsigned or a signed number, is no token.
  const auto with_pad = [&](auto type, const std::string& value) {
    write(path, made("gpt-2", false).value("tokenizer.ggml.padding_token_id", type, value));
    return tokenizers::load_tokenizer(path)->special_ids().pad;
  };
  CHECK(with_pad(U32, u32(0xFFFFFFFF)) == tokenizers::no_id);
  CHECK(with_pad(I32, u32(0xFFFFFFFF)) == tokenizers::no_id);
  CHECK(with_pad(U32, u32(3)) == 3);
  CHECK_THROWS_WITH(with_pad(U32, u32(9)), ContainsSubstring("padding_token_id is 9"));
  write(path, made("unheard-of", true));
  CHECK_THROWS_WITH(tokenizers::load_tokenizer(path), ContainsSubstring("\"unheard-of\" is not supported"));
  // Llama 3: a word that is a token stays whole, and a special token begins the text unless the file says
  // otherwise.
  GgufSample llama3;
  llama3.value("tokenizer.ggml.model", STRING, text("gpt2"))
      .value("tokenizer.ggml.pre", STRING, text("llama-bpe"))
      .value("tokenizer.ggml.tokens", ARRAY, array(STRING, {text("<|b|>"), text("a"), text("b"), text("ab")}))
      .value("tokenizer.ggml.merges", ARRAY, array(STRING, {}))
      .value("tokenizer.ggml.bos_token_id", U32, u32(0));
  write(path, llama3);
  CHECK(tokenizers::load_tokenizer(path)->encode("ab").ids() == Ids{0, 3});
  write(path, llama3.value("tokenizer.ggml.add_bos_token", BOOL, std::string(1, '\0')));
  CHECK(tokenizers::load_tokenizer(path)->encode("ab").ids() == Ids{3});
  GgufSample other;
  other.value("tokenizer.ggml.model", STRING, text("rwkv"));
  other.value("tokenizer.ggml.tokens", ARRAY, array(STRING, {text("a")}));
  write(path, other);
  CHECK_THROWS_WITH(tokenizers::load_tokenizer(path),
                    ContainsSubstring("tokenizer.ggml.model is \"rwkv\"; gpt2, llama or bert"));
}

TEST_CASE("a GGUF file's SentencePiece tokenizer", "[models][gguf][tokenizers]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "t.gguf";
  const auto made = [](bool with_scores = true) {
    GgufSample file;
    file.value("tokenizer.ggml.model", STRING, text("llama"));
    file.value(
        "tokenizer.ggml.tokens", ARRAY,
        array(STRING, {text("<unk>"), text("<s>"), text("</s>"), text("<0xC3>"), text("<0xA9>"), text("▁"),
                       text("a"), text("b"), text("▁a"), text("ab"), text("▁ab"), text("aa")}));
    const auto score = [](float value) { return le(value); };
    if (with_scores)
      file.value("tokenizer.ggml.scores", ARRAY,
                 array(F32, {score(0), score(0), score(0), score(0), score(0), score(-9), score(-9),
                             score(-9), score(-2), score(-1), score(-4), score(-2)}));
    file.value("tokenizer.ggml.token_type", ARRAY,
               array(I32, {u32(2), u32(3), u32(3), u32(6), u32(6), u32(1), u32(1), u32(1), u32(1), u32(1),
                           u32(1), u32(1)}));
    file.value("tokenizer.ggml.bos_token_id", U32, u32(1))
        .value("tokenizer.ggml.unknown_token_id", U32, u32(0));
    return file;
  };
  using Ids = std::vector<tokenizers::Id>;
  write(path, made());
  const auto plain = tokenizers::load_tokenizer(path);
  // "ab" has the highest score, then "▁" joins it.
  CHECK(plain->encode("ab").ids() == Ids{1, 10});
  // "▁a" and "aa" have the same score: the leftmost is merged first.
  CHECK(plain->encode("aa").ids() == Ids{1, 8, 6});
  CHECK(plain->encode("aé b").ids() == Ids{1, 8, 3, 4, 5, 7});
  CHECK(plain->encode("a</s>a").ids() == Ids{1, 8, 2, 8});
  CHECK(plain->decode(Ids{8, 3, 4, 5, 7}) == "aé b");
  write(path, made().value("tokenizer.ggml.add_space_prefix", BOOL, std::string(1, '\0')));
  CHECK(tokenizers::load_tokenizer(path)->encode("aa").ids() == Ids{1, 11});
  write(path, made(false));
  CHECK_THROWS_WITH(tokenizers::load_tokenizer(path), ContainsSubstring("tokenizer.ggml.scores"));
}

TEST_CASE("a GGUF model in several files is opened by any of them", "[models][gguf]") {
  const TemporaryDirectory directory;
  const std::vector<Both> tensors = llama();
  const auto half = tensors.begin() + std::ssize(tensors) / 2;
  const auto part = [&](GgufSample file, std::uint16_t number, std::uint16_t all = 2, int total = -1) {
    file.value("split.no", U16, le(number)).value("split.count", U16, le(all));
    return file.value("split.tensors.count", I32,
                      le(total < 0 ? static_cast<std::int32_t>(tensors.size()) : total));
  };
  const std::filesystem::path first = directory / "m-00001-of-00002.gguf",
                              second = directory / "m-00002-of-00002.gguf";
  write(directory / "whole.gguf", gguf(tensors));
  write(first, part(gguf({tensors.begin(), half}), 0));
  CHECK_THROWS_WITH(open_model(first), ContainsSubstring("m-00002-of-00002.gguf"));
  write(second, part(gguf({half, tensors.end()}), 1));
  ThreadPool pool(1);
  const Work work{pool, {}};
  const KeptRows expected = run_model(*open_model(directory / "whole.gguf"), some_tokens(), {}, work).logits;
  for (const std::filesystem::path& path : {first, second}) {
    const ModelPtr model = open_model(path);
    CHECK(model->used.size() == tensors.size());
    CHECK(run_model(*model, some_tokens(), {}, work).logits == expected);
  }
  write(second, part(gguf({half, tensors.end()}), 0));
  CHECK_THROWS_WITH(open_model(first), ContainsSubstring("part 1 of 2 was expected"));
  write(second, part(gguf({half - 1, tensors.end()}), 1));
  CHECK_THROWS_WITH(open_model(first), ContainsSubstring("tensors together"));
  write(first, part(gguf({tensors.begin(), half}), 0, 2, static_cast<int>(tensors.size()) + 1));
  CHECK_THROWS_WITH(open_model(first), ContainsSubstring("which a part before it has too"));
}

}  // namespace attnscope::gguf_model_test
