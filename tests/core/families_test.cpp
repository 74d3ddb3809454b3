// The tables of the families of models: each says a thing once, and those that are written like another's
// differ from it in what transformers says.
#include "core/transformer/families/families.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::families_test {
namespace {

const Family& family(std::string_view type) {
  const Family* const found = find_family(type);
  REQUIRE(found != nullptr);
  return *found;
}

PartName part(std::string_view type, Part which) {
  const PartName* const found = find_part(family(type).decoder, which);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("no family names a part twice, and no type, head or key is of two rows", "[models]") {
  std::set<std::string_view> types;
  for (const Family* one : families()) {
    CAPTURE(one->name);
    for (const std::string_view type : one->model_types) CHECK(types.insert(type).second);
    for (const auto& names : {one->model, one->encoder, one->decoder}) {
      std::set<Part> parts;
      std::set<std::string_view> paths;
      for (const PartName& name : names) {
        CAPTURE(name.path);
        // gpt-oss stores the gates of its experts with the other halves.
        const bool is_joined = one->experts_stacked && name.part == Part::ExpertGate;
        CHECK(name.path.empty() == is_joined);
        CHECK(parts.insert(name.part).second);
        CHECK(paths.insert(name.path).second);
      }
    }
    std::set<std::string_view> endings;
    for (const HeadRow& head : one->heads) CHECK(endings.insert(head.ending).second);
  }
}

TEST_CASE("families that are written like Llama differ from it where transformers says so", "[models]") {
  for (const char* type : {"llama", "mistral", "smollm3", "qwen2", "qwen3", "gemma2"}) {
    CAPTURE(type);
    CHECK(part(type, Part::Query).path == "layers.{}.self_attn.q_proj");
    CHECK(part(type, Part::Down).path == "layers.{}.mlp.down_proj");
    const bool any_bias = part(type, Part::Up).bias != BiasRule::Never;
    CHECK(any_bias ==
          (std::string(type) == "llama" || std::string(type) == "mistral" || std::string(type) == "smollm3"));
    CHECK(family(type).keys.width == "hidden_size");
    CHECK(family(type).keys.epsilon == "rms_norm_eps");
  }
  CHECK(part("qwen2", Part::Key).bias == BiasRule::Always);
  CHECK(part("qwen2", Part::Output).bias == BiasRule::Never);
  CHECK(find_part(family("qwen2").decoder, Part::QueryNorm) == nullptr);
  CHECK(part("qwen3", Part::Key).bias == BiasRule::Attention);
  CHECK(part("qwen3", Part::KeyNorm).path == "layers.{}.self_attn.k_norm");
  CHECK(part("llama", Part::MlpNorm).path == "layers.{}.post_attention_layernorm");
  CHECK(part("gemma2", Part::MlpNorm).path == "layers.{}.pre_feedforward_layernorm");
  CHECK(part("gemma2", Part::AfterAttentionNorm).path == "layers.{}.post_attention_layernorm");
  CHECK_FALSE(family("llama").tied);
  CHECK(family("smollm3").tied);
  CHECK(family("mistral").gguf == nullptr);
  CHECK(family("llama").gguf->interleaved);
  CHECK_FALSE(family("qwen3").gguf->interleaved);
  CHECK(family("llama").windows == nullptr);
  CHECK(family("qwen3").windows == family("qwen2").windows);
}

TEST_CASE("families with BERT's keys have their own sizes", "[models]") {
  CHECK(family("bert").keys.default_vocabulary == 30'522);
  CHECK(family("roberta").keys.default_vocabulary == 50'265);
  CHECK(family("bert").read_model == nullptr);
  CHECK(family("roberta").encoder.data() == family("bert").encoder.data());
  CHECK(family("distilbert").keys.width == "dim");
  CHECK(family("distilbert").keys.default_layers == 6);
  CHECK(find_part(family("distilbert").model, Part::TypeTable) == nullptr);
  CHECK(find_part(family("bert").model, Part::TypeTable) != nullptr);
  CHECK(family("vit").keys.positions.empty());
  CHECK(family("gpt_neox").keys.default_width == 6144);
  CHECK(family("attnscope_reader").keys.default_activation == "gelu_new");
  for (const char* type : {"roberta", "vit", "gpt_neox", "attnscope_reader"})
    CHECK(family(type).keys.inner == "intermediate_size");
}

}  // namespace attnscope::families_test
