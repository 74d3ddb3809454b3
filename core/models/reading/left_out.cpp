#include "core/models/reading/left_out.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/transformer/families/families.hpp"

namespace attnscope {
namespace {

/// Whether a tensor is not a weight of the model: masks and frequencies that the program computes itself, and
/// cross-attention of a model without an encoder.
bool is_no_weight(std::string_view name) {
  constexpr auto ends = std::to_array<std::string_view>(
      {".attn.bias", ".attn.masked_bias", ".attention.bias", ".attention.masked_bias", ".inv_freq",
       ".cos_cached", ".sin_cached", ".position_ids", ".EncDecAttention.relative_attention_bias.weight"});
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); }) ||
         name.find(".crossattention.") != name.npos || name.find(".ln_cross_attn.") != name.npos;
}

/// The name up to the block's number, "model.layers.0."; empty if there is none.
std::string_view block_of(std::string_view name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (end < name.size() && !part.empty() && part.find_first_not_of("0123456789") == part.npos)
      return name.substr(0, end + 1);
    begin = end + 1;
  }
  return {};
}

/// Throws Error naming an unread tensor in a block that is computed: such a block differs from its family's.
void check_ignored(const Model& model) {
  std::set<std::string_view> blocks;
  for (const std::string& name : model.used) blocks.insert(block_of(name));
  for (const std::string& name : model.ignored)
    if (const std::string_view block = block_of(name);
        !block.empty() && blocks.contains(block) && !is_no_weight(name))
      throw Error(
          fmt::format("{} has a tensor {}, which a block of the family {} does not have: what it "
                      "computes is not known here.",
                      in_quotes(model.path.native()), in_quotes(name, 100), model.spec.family));
}

/// Blocks in the files beyond the number in the settings: "h.2", …, the first one first.
std::vector<std::string> further_blocks(const Model& model) {
  std::set<std::string_view> stacks, blocks, further;
  const auto stack_of = [](std::string_view block) {
    return block.substr(0, block.rfind('.', block.size() - 2));
  };
  for (const std::string& name : model.used) {
    const std::string_view block = block_of(name);
    if (!block.empty()) blocks.insert(block), stacks.insert(stack_of(block));
  }
  for (const std::string& name : model.ignored)
    if (const std::string_view block = block_of(name);
        !block.empty() && !blocks.contains(block) && stacks.contains(stack_of(block)))
      further.insert(block);
  std::vector<std::string> names;
  for (const std::string_view block : further) names.emplace_back(block.substr(0, block.size() - 1));
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  return names;
}

/// llama.cpp refuses a file with more blocks than its header counts: throws Error. transformers warns and
/// leaves them out: returns that sentence.
std::string note_on_blocks(const Model& model, const ModelConfig& config) {
  const std::vector<std::string> further = further_blocks(model);
  if (further.empty()) return {};
  const std::string where = in_quotes(model.path.native()), first = in_quotes(further[0], 60);
  if (config.gguf)
    throw Error(fmt::format("{} holds more blocks than its block_count says, from {} on.", where, first));
  const bool in_decoder = model.spec.encoder && further[0].starts_with("decoder.");
  const std::string_view key = in_decoder ? "num_decoder_layers" : config.family->keys.layers;
  if (further.size() == 1)
    return fmt::format("{} has one block more than {} says, {}: it is left out, as in transformers.", where,
                       key, first);
  return fmt::format("{} has {} blocks more than {} says, from {} on: they are left out, as in transformers.",
                     where, further.size(), key, first);
}

/// GGUF tensors outside the blocks that would change the result.
constexpr auto gguf_beside_blocks = std::to_array<std::string_view>(
    {"output.bias", "output_norm.bias", "token_embd_norm.weight", "token_embd_norm.bias",
     "position_embd.weight", "token_types.weight", "per_layer_token_embd.weight", "cls.weight",
     "cls.output.weight", "token_embd.bias", "output.scale", "dense_2.weight", "dense_3.weight",
     "rope_factors_long.weight", "rope_factors_short.weight"});

/// Throws Error naming one of these tensors in a GGUF file; in its own files transformers leaves them out
/// without harm.
void check_beside_blocks(const Model& model) {
  for (const std::string& name : model.ignored)
    if (std::ranges::find(gguf_beside_blocks, name) != gguf_beside_blocks.end())
      throw Error(
          fmt::format("{} has a tensor {}, which a model of the family {} does not have: what it "
                      "computes is not known here.",
                      in_quotes(model.path.native()), in_quotes(name), model.spec.family));
}

/// Heads other than logits of tokens, by the first part of their tensors' names.
struct EndsBesides {
  std::string_view ending, module;
};
constexpr auto ends_besides = std::to_array<EndsBesides>(
    {{"ForPreTraining", "cls.seq_relationship"}, {"DoubleHeadsModel", "multiple_choice_head"}});

/// A sentence if the architecture has a head that is not computed; else empty.
std::string note_on_end(const Model& model) {
  const std::string& architecture = model.spec.architecture;
  if (architecture.empty()) return {};
  const std::string where = in_quotes(model.path.native()), name = in_quotes(architecture, 80);
  if (!model.missing.empty())
    return fmt::format("{} is a {}, and its files lack {}: it gives no logits.", where, name,
                       in_quotes(model.missing[0], 100));
  if (!model.spec.has_logits()) {
    if (architecture.ends_with("Model")) return {};  // transformers adds no head to it either
    return fmt::format("{} is a {}, and what that ends in is not known here: it gives no logits.", where,
                       name);
  }
  const auto at = std::ranges::find_if(
      ends_besides, [&](const EndsBesides& one) { return architecture.ends_with(one.ending); });
  if (at == ends_besides.end()) return {};
  return fmt::format("{} is a {}, of which {} is not computed: it gives the logits of tokens alone.", where,
                     name, in_quotes(at->module));
}

}  // namespace

void check_left_out(const Model& model, const ModelConfig& config) {
  check_ignored(model);
  if (config.gguf) check_beside_blocks(model);
}

std::string note_on_left_out(const Model& model, const ModelConfig& config) {
  const std::string blocks = note_on_blocks(model, config), end = note_on_end(model);
  return blocks.empty() || end.empty() ? blocks + end : blocks + " " + end;
}

}  // namespace attnscope
