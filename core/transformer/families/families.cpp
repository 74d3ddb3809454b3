#include "core/transformer/families/families.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace attnscope {
namespace {

constexpr auto table = std::to_array<const Family*>(
    {&gpt2_family, &llama_family, &mistral_family, &qwen2_family, &qwen3_family, &smollm3_family,
     &gemma2_family, &neox_family, &bloom_family, &bert_family, &roberta_family, &distilbert_family,
     &reader_family, &t5_family, &vit_family});

constexpr auto gguf_names = std::to_array<std::pair<Part, std::string_view>>({
    {Part::TokenTable, "token_embd"},
    {Part::PositionTable, "position_embd"},
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
    {Part::Down, "blk.{}.ffn_down"},
    {Part::AfterMlpNorm, "blk.{}.post_ffw_norm"},
    {Part::FinalNorm, "output_norm"},
    {Part::Logits, "output"},
});

std::string numbered(std::string_view pattern, std::size_t block) {
  std::string path(pattern);
  if (const auto at = path.find("{}"); at != path.npos) path.replace(at, 2, std::to_string(block));
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

std::string path_of(const PartName& name, std::size_t block) { return numbered(name.path, block); }

std::string gguf_path_of(Part part, std::size_t block) {
  for (const auto& [known, path] : gguf_names)
    if (known == part) return numbered(path, block);
  return {};
}

const Family* find_gguf_family(std::string_view architecture) {
  const Family* family = find_family(architecture);
  return family == nullptr || family->gguf == nullptr ? nullptr : family;
}

}  // namespace attnscope
