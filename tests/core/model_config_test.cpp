// Validation of config.json and the index of shards: refusals and their messages, and the meaning of missing
// keys.
#include <cmath>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/config/config.hpp"
#include "core/models/reading/checkpoint.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/text/utf8.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_config_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::TemporaryDirectory;

ModelConfig config(const std::string& json) { return read_config(json, "config.json"); }

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("what a config does not say takes its family's default", "[models]") {
  const ModelSpec gpt2 = config(R"({"model_type": "gpt2"})").spec;
  CHECK(gpt2.family == "GPT-2");
  CHECK(gpt2.d_model == 768);
  CHECK(gpt2.d_inner == 3072);
  CHECK(gpt2.vocabulary == 50'257);
  REQUIRE(gpt2.decoder);
  CHECK(gpt2.decoder->blocks.size() == 12);
  CHECK(scale_of(gpt2.decoder->blocks[5]) == 0.125);
  CHECK(gpt2.decoder->causal());
  CHECK(gpt2.tied);
  const ModelSpec llama = config(R"({"model_type": "llama", "hidden_size": 576, "num_attention_heads": 9,
      "num_key_value_heads": 3, "rope_theta": 100000, "vocab_size": 49152})")
                              .spec;
  CHECK(llama.decoder->blocks[0].d_k == 64);
  CHECK(llama.decoder->blocks[0].kv_heads == 3);
  CHECK(rope_of(llama.decoder->blocks[0]).base == 100'000);
  CHECK(rope_of(llama.decoder->blocks[0]).rotated == 64);
  CHECK(llama.decoder->blocks[0].block.gated);
  CHECK_FALSE(llama.tied);
}

TEST_CASE("windows, caps and rotary shares are read as each family means them", "[models]") {
  const ModelSpec mistral = config(R"({"model_type": "mistral", "sliding_window": 4096})").spec;
  CHECK(window_of(mistral.decoder->blocks[0]) == 4096);
  const ModelSpec open = config(R"({"model_type": "mistral", "sliding_window": null})").spec;
  CHECK(window_of(open.decoder->blocks[0]) == 0);
  const ModelSpec qwen = config(R"({"model_type": "qwen2", "sliding_window": 8, "use_sliding_window": true,
      "max_window_layers": 2, "num_hidden_layers": 4})")
                             .spec;
  CHECK(window_of(qwen.decoder->blocks[1]) == 0);
  CHECK(window_of(qwen.decoder->blocks[2]) == 8);
  const ModelSpec gemma = config(R"({"model_type": "gemma2", "head_dim": 256})").spec;
  CHECK(window_of(gemma.decoder->blocks[0]) == 4096);
  CHECK(window_of(gemma.decoder->blocks[1]) == 0);
  CHECK(gemma.decoder->blocks[0].soft_cap == 50);
  CHECK(gemma.logit_cap == 30);
  CHECK(scale_of(gemma.decoder->blocks[0]) == 1.0 / 16);
  CHECK(config(R"({"model_type": "gemma2", "attn_logit_softcapping": null})")
            .spec.decoder->blocks[0]
            .soft_cap == 0);
  const ModelSpec neox = config(R"({"model_type": "gpt_neox", "rotary_pct": 0.25})").spec;
  CHECK(rope_of(neox.decoder->blocks[0]).rotated == 24);
  const ModelSpec roberta = config(R"({"model_type": "roberta"})").spec;
  CHECK(roberta.first_position == 2);
  const ModelSpec t5 = config(R"({"model_type": "t5", "feed_forward_proj": "gated-gelu",
      "tie_word_embeddings": false})")
                           .spec;
  CHECK(t5.encoder->blocks[0].block.gated);
  CHECK(t5.encoder->blocks[0].block.activation == Activation::GeluTanh);
  CHECK(scale_of(t5.decoder->blocks[0]) == 1);
  CHECK(t5.logit_scale == 1);
}

TEST_CASE("a config that does not fit is refused in words that name the key", "[models]") {
  const auto refused = [](const std::string& json, const std::string& words) {
    CAPTURE(json);
    CHECK_THROWS_WITH(config(json), ContainsSubstring("config.json") && ContainsSubstring(words));
  };
  refused("[]", "an object");
  refused("{}", "model_type");
  refused(R"({"model_type": "mamba"})", "\"mamba\" is no family that is known here; 58 are, such as bert");
  refused(R"({"model_type": 3})", "a string");
  refused(R"({"model_type": "gpt2", "n_embd": 0})", "n_embd");
  refused(R"({"model_type": "gpt2", "n_embd": 1e3})", "a whole number from 1 to");
  refused(R"({"model_type": "gpt2", "n_embd": 18446744073709551615})", "n_embd");
  refused(R"({"model_type": "gpt2", "n_embd": -5})", "-5");
  refused(R"({"model_type": "gpt2", "n_head": 5})", "5 heads cannot share a width of 768");
  refused(R"({"model_type": "gpt2", "activation_function": "mish"})", "\"mish\" is no activation");
  refused(R"({"model_type": "gpt2", "layer_norm_epsilon": -1})", "a number above 0");
  refused(R"({"model_type": "gpt2", "layer_norm_epsilon": 1e-60})", "a number that float32 holds");
  refused(R"({"model_type": "llama", "rope_theta": 1e300})", "a number that float32 holds");
  refused(R"({"model_type": "llama", "num_key_value_heads": 5})", "5 heads of keys");
  refused(R"({"model_type": "llama", "rope_scaling": {"type": "proportional"}})",
          "\"proportional\" is no scaling");
  refused(R"({"model_type": "llama", "rope_scaling": {"rope_type": "llama3", "high_freq_factor": 1}})",
          "high_freq_factor");
  refused(R"({"model_type": "llama", "rope_scaling": "linear"})", "an object");
  refused(R"({"model_type": "gpt_neox", "rotary_pct": 1.5})", "rotary_pct");
  refused(R"({"model_type": "qwen2", "sliding_window": 8, "layer_types": ["full_attention"]})",
          "a list of 32 names");
  refused(
      R"({"model_type": "mistral", "sliding_window": 8, "num_hidden_layers": 1, "layer_types": ["wide"]})",
      "wide");
  refused(R"({"model_type": "t5", "feed_forward_proj": "gated-mish"})", "mish");
  refused(R"({"model_type": "gpt2", "model_type": "gpt2"})", "model_type");
}

TEST_CASE("a share of dimensions that is odd and biases that are left out are refused", "[models]") {
  const std::string neox =
      R"({"model_type": "gpt_neox", "hidden_size": 32, "num_attention_heads": 4, "rotary_pct": )";
  CHECK(rope_of(config(neox + "0.5}").spec.decoder->blocks[0]).rotated == 4);
  CHECK_THROWS_WITH(config(neox + "0.4}"), ContainsSubstring("rotary_pct: 3 of 8 dimensions"));
  CHECK_NOTHROW(config(R"({"model_type": "bloom", "slow_but_exact": true, "pretraining_tp": 1})"));
  CHECK_NOTHROW(config(R"({"model_type": "bloom", "slow_but_exact": false, "pretraining_tp": 2})"));
  CHECK_THROWS_WITH(config(R"({"model_type": "bloom", "slow_but_exact": true, "pretraining_tp": 2})"),
                    ContainsSubstring("slow_but_exact: it is true"));
}

TEST_CASE("a decoder of an encoder's parts has logits where its architecture has a head", "[models]") {
  const auto bert = [](const std::string& architecture) {
    return config(R"({"model_type": "bert", "is_decoder": true, "architectures": [")" + architecture +
                  R"("]})")
        .spec;
  };
  CHECK(bert("BertLMHeadModel").head.kind == HeadKind::NextToken);
  CHECK(bert("BertModel").decoder);
  CHECK_FALSE(bert("BertModel").has_logits());
}

TEST_CASE("what is wrong in a config is told in one line of text, however long and odd it is", "[models]") {
  const auto told = [](const std::string& json) -> std::string {
    try {
      config(json);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  std::string letters = "a";
  for (int i = 0; i < 100; ++i) letters += "\xdf\x95";  // two bytes each: a cut may split one
  for (const std::string& text : {letters, std::string(R"(a\n\u2028\u202eb)")})
    for (const std::string form :
         {R"("X")", R"({"model_type": "X"})", R"({"model_type": "gpt2", "activation_function": "X"})",
          R"({"model_type": "gpt2", "n_embd": "X"})", R"({"model_type": "t5", "feed_forward_proj": "X"})",
          R"({"model_type": "llama", "rope_scaling": {"type": "X"}})"}) {
      std::string json = form;
      const std::string error = told(json.replace(json.find('X'), 1, text));
      CAPTURE(json, error);
      CHECK(is_valid_utf8(error));
      CHECK(error.ends_with('.'));
      CHECK(error.find('\n') == std::string::npos);
      CHECK(error.size() < 400);
    }
}

TEST_CASE("a folder without weights that can be used is refused in words", "[models]") {
  const TemporaryDirectory directory;
  const std::filesystem::path folder = directory.path();
  CHECK_THROWS_WITH(open_model(folder / "none"), ContainsSubstring("is neither a folder"));
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("config.json"));
  write(folder / "config.json",
        R"({"model_type": "gpt2", "n_embd": 4, "n_head": 1, "n_layer": 1, "vocab_size": 3})");
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("neither model.safetensors nor"));
  write(folder / "pytorch_model.bin", "x");
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("save_pretrained"));
  const Tensor table(Shape{3, 4});
  write_safetensors(folder / "a.safetensors", std::vector<NamedTensor>{{"wte.weight", &table}});
  const std::filesystem::path index = folder / "model.safetensors.index.json";
  for (const char* file : {"../a.safetensors", "/a.safetensors", "b\\\\a.safetensors", ""}) {
    write(index, fmt::format(R"({{"weight_map": {{"wte.weight": "{}"}}}})", file));
    CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("the name of a file beside it was expected"));
  }
  write(index, R"({"weight_map": {"wte\nweight": "\n/a.safetensors"}})");
  CHECK_THROWS_WITH(open_model(folder),
                    ContainsSubstring("\"wte\\u{a}weight\" is in \"\\u{a}/a.safetensors\";"));
  write(index, R"({"weight_map": {"wte\nweight": "a.safetensors"}})");
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("has no tensor \"wte\\u{a}weight\", which"));
  write(index, R"({"weights": {}})");
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("weight_map"));
  write(index, R"({"weight_map": {"wpe.weight": "a.safetensors"}})");
  CHECK_THROWS_WITH(open_model(folder),
                    ContainsSubstring("has no tensor \"wpe.weight\", which the index says"));
  write(index, R"({"weight_map": {"wte.weight": "a.safetensors"}})");
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("has no tensor \"wpe.weight\"; one of shape"));
  const Tensor wide(Shape{3, 5});
  write_safetensors(folder / "a.safetensors", std::vector<NamedTensor>{{"wte.weight", &wide}});
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("has shape [3, 5]; [3, 4] was expected"));
}

}  // namespace attnscope::model_config_test
