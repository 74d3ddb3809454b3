#include "core/transformer/families/families.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace attnscope {
namespace {

constexpr auto table = std::to_array<const Family*>(
    {&gpt2_family,       &llama_family,  &mistral_family,     &ministral_family,  &ministral3_family,
     &qwen2_family,      &qwen3_family,  &smollm3_family,     &helium_family,     &gemma_family,
     &gemma2_family,     &gemma3_family, &phi_family,         &phi3_family,       &olmo_family,
     &olmo2_family,      &olmo3_family,  &exaone4_family,     &granite_family,    &cohere_family,
     &cohere2_family,    &glm_family,    &glm4_family,        &stablelm_family,   &starcoder2_family,
     &nemotron_family,   &neox_family,   &gptj_family,        &gpt_neo_family,    &opt_family,
     &falcon_family,     &bloom_family,  &bert_family,        &roberta_family,    &distilbert_family,
     &reader_family,     &t5_family,     &vit_family,         &mixtral_family,    &qwen2_moe_family,
     &qwen3_moe_family,  &olmoe_family,  &gpt_oss_family,     &roformer_family,   &mpnet_family,
     &nomic_bert_family, &esm_family,    &electra_family,     &modernbert_family, &mt5_family,
     &umt5_family,       &dinov2_family, &gpt_bigcode_family, &codegen_family,    &eurobert_family,
     &albert_family,     &gte_family,    &glm4_moe_family});

constexpr auto gguf_names = std::to_array<std::pair<Part, std::string_view>>({
    {Part::TokenTable, "token_embd"},
    {Part::PositionTable, "position_embd"},
    {Part::TypeTable, "token_types"},
    {Part::EmbeddingNorm, "token_embd_norm"},
    {Part::AttentionNorm, "blk.{}.attn_norm"},
    {Part::Query, "blk.{}.attn_q"},
    {Part::Key, "blk.{}.attn_k"},
    {Part::Value, "blk.{}.attn_v"},
    {Part::QueryKeyValue, "blk.{}.attn_qkv"},
    {Part::Output, "blk.{}.attn_output"},
    {Part::QueryNorm, "blk.{}.attn_q_norm"},
    {Part::KeyNorm, "blk.{}.attn_k_norm"},
    {Part::AfterAttentionNorm, "blk.{}.post_attention_norm"},
    {Part::MlpNorm, "blk.{}.ffn_norm"},
    {Part::Gate, "blk.{}.ffn_gate"},
    {Part::Up, "blk.{}.ffn_up"},
    {Part::GateUp, "blk.{}.ffn_up"},
    {Part::Down, "blk.{}.ffn_down"},
    {Part::Router, "blk.{}.ffn_gate_inp"},
    {Part::RouterCorrection, "blk.{}.exp_probs_b.bias"},
    {Part::ExpertGate, "blk.{}.ffn_gate_exps"},
    {Part::ExpertUp, "blk.{}.ffn_up_exps"},
    {Part::ExpertDown, "blk.{}.ffn_down_exps"},
    {Part::SharedGate, "blk.{}.ffn_gate_shexp"},
    {Part::SharedUp, "blk.{}.ffn_up_shexp"},
    {Part::SharedDown, "blk.{}.ffn_down_shexp"},
    {Part::SharedSwitch, "blk.{}.ffn_gate_inp_shexp"},
    {Part::Sinks, "blk.{}.attn_sinks.weight"},
    {Part::AfterMlpNorm, "blk.{}.post_ffw_norm"},
    {Part::FinalNorm, "output_norm"},
    {Part::Logits, "output"},
});

std::string numbered(std::string_view pattern, std::size_t block, std::size_t expert = 0) {
  std::string path(pattern);
  for (const std::size_t number : {block, expert})
    if (const auto at = path.find("{}"); at != path.npos) path.replace(at, 2, std::to_string(number));
  return path;
}

}  // namespace

std::span<const Family* const> families() { return table; }

const Family* find_family(std::string_view model_type) {
  for (const Family* family : table)
    if (std::ranges::find(family->model_types, model_type) != family->model_types.end()) return family;
  return nullptr;
}

const PartName* find_part(std::span<const PartName> names, Part part) {
  const auto at = std::ranges::find(names, part, &PartName::part);
  return at == names.end() ? nullptr : &*at;
}

bool Family::is_gated() const {
  if (!encoder.empty() && !decoder.empty()) return false;
  return find_part(blocks(), Part::Gate) != nullptr || find_part(blocks(), Part::GateUp) != nullptr ||
         find_part(blocks(), Part::UpGate) != nullptr;
}

std::string path_of(const PartName& name, std::size_t block, std::size_t expert) {
  return numbered(name.path, block, expert);
}

std::string gguf_path_of(const Family& family, Part part, std::size_t block) {
  if (const PartName* own = find_part(family.gguf->names, part)) return path_of(*own, block);
  for (const auto& [known, path] : gguf_names)
    if (known == part) return numbered(path, block);
  return {};
}

std::string_view gguf_name_of(const Family& family) {
  return family.gguf->architecture.empty() ? family.model_types[0] : family.gguf->architecture;
}

const Family* find_gguf_family(std::string_view architecture) {
  const auto at = std::ranges::find_if(table, [&](const Family* family) {
    return family->gguf != nullptr && gguf_name_of(*family) == architecture;
  });
  return at == table.end() ? nullptr : *at;
}

}  // namespace attnscope
