// Tensors of a block that nothing reads, family by family: refused by name, unless old versions of
// transformers saved them without a use.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/files/formats/safetensors.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::left_out_test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A small model of the family with one more tensor.
ModelPtr with(const std::filesystem::path& folder, const std::string& family, const std::string& name) {
  small_models::write_other(folder, family);
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
  {
    const SafetensorsFile file(folder / "model.safetensors");
    for (const TensorEntry& one : file.tensors()) {
      names.push_back(one.name);
      tensors.push_back(to_tensor<float>(one, file.path()));
    }
  }
  names.push_back(name);
  tensors.emplace_back(Shape{1});
  std::vector<NamedTensor> named;
  for (std::size_t i = 0; i < names.size(); ++i) named.push_back({names[i], &tensors[i]});
  write_safetensors(folder / "model.safetensors", named);
  return open_model(folder);
}

}  // namespace

TEST_CASE("what a block of each family does not have is refused, what old versions saved is not",
          "[models]") {
  const test::TemporaryDirectory directory;
  using Names = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [family, name] : Names{{"llama", "model.layers.0.self_attn.q_proj.bias"},
                                          {"llama", "model.layers.1.self_attn.sinks"},
                                          {"llama", "model.layers.1.self_attn.q_norm.weight"},
                                          {"qwen3", "model.layers.0.mlp.experts.0.up_proj.weight"},
                                          {"gemma2", "model.layers.0.input_layernorm.bias"},
                                          {"gpt_neox", "gpt_neox.layers.1.mlp.gate.weight"},
                                          {"bloom", "h.1.self_attention.query_norm.weight"}}) {
    CAPTURE(family, name);
    CHECK_THROWS_WITH(with(directory / family, family, name),
                      ContainsSubstring("has a tensor \"" + name + "\", which a block"));
  }
  for (const auto& [family, name] :
       Names{{"llama", "model.layers.0.self_attn.rotary_emb.inv_freq"},
             {"gpt_neox", "gpt_neox.layers.0.attention.bias"},
             {"gpt_neox", "gpt_neox.layers.0.attention.masked_bias"},
             {"gpt_neox", "gpt_neox.layers.1.attention.rotary_emb.inv_freq"},
             {"gpt_neox", "gpt_neox.layers.1.attention.rotary_emb.cos_cached"}}) {
    CAPTURE(family, name);
    CHECK(with(directory / family, family, name)->ignored == std::vector<std::string>{name});
  }
}

}  // namespace attnscope::left_out_test
