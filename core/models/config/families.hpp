// core/models/config: the families of models as a table: the names of their tensors and settings, and how a
// block is put together. A new family is a new row. Source of every row: transformers 5.24, the files
// modeling_*.py and configuration_*.py of the family.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/blocks/activation.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

/// The role of a tensor in a model.
enum class Part : std::uint8_t {
  TokenTable,
  PositionTable,
  TypeTable,
  ClassToken,
  Patches,
  EmbeddingNorm,
  AttentionNorm,  // before attention
  Query,
  Key,
  Value,
  QueryKeyValue,  // the three stacked in one matrix
  Output,
  QueryNorm,
  KeyNorm,
  AfterAttentionNorm,  // on attention's output, or on its sum with the residual stream
  CrossNorm,
  CrossQuery,
  CrossKey,
  CrossValue,
  CrossOutput,
  MlpNorm,
  Gate,
  Up,
  Down,
  AfterMlpNorm,
  RelativeBias,
  FinalNorm,
  Logits,
  Pooler,
};

/// Whether a linear map has a bias.
enum class BiasRule : std::uint8_t { Never, Always, Attention, Mlp };  // the last two: if the config says so

struct PartName {
  Part part;
  std::string_view path;  // of the module, "{}" = the block's number; tensors are path.weight, path.bias
  BiasRule bias = BiasRule::Never;
};

/// The order of rows in a matrix that makes queries, keys and values at once.
enum class FusedOrder : std::uint8_t { None, Thirds, PerHead };  // PerHead: (head, [q, k, v], d_k)

/// Keys in config.json; empty if a family has no such key. Numbers: defaults for missing keys.
struct ConfigKeys {
  std::string_view width, layers, heads, kv_heads, inner, positions, epsilon, activation;
  int default_width, default_layers, default_heads, default_inner, default_positions;  // inner: 0 = 4·width
  double default_epsilon;
  std::string_view default_activation;
  int default_vocabulary = 50'257;
  int default_kv_heads = 0;       // 0 = as many as heads
  std::string_view head_width{};  // of queries, keys and values
  int default_head_width = 0;     // 0 = width / heads
};

/// An alias of a key, which transformers maps to it ("attribute_map"), and the key.
using KeyAlias = std::pair<std::string_view, std::string_view>;

struct FamilyRow {
  std::string_view name;
  std::span<const std::string_view> model_types;  // "model_type" of config.json
  std::span<const std::string_view> prefixes;     // that all tensor names of a file may begin with
  Arrangement arrangement;
  NormKind norm;
  Positions positions;
  FusedOrder fused;
  bool input_output;  // matrices lie as [d_in][d_out]
  ConfigKeys keys;
  std::span<const PartName> model, encoder, decoder;  // block paths are below the stack's own
  std::span<const KeyAlias> aliases{};
};

std::span<const FamilyRow> families();
/// By "model_type"; null if unknown.
const FamilyRow* find_family(std::string_view model_type);
/// Null if the family has no such part.
const PartName* find_part(std::span<const PartName>, Part);
/// The path with the block's number filled in.
std::string path_of(const PartName&, std::size_t block = 0);
/// The path in GGUF files, equal in all families; empty if they have no such part.
std::string gguf_path_of(Part, std::size_t block = 0);
/// By "general.architecture" of a GGUF file; null if unknown.
const FamilyRow* find_gguf_family(std::string_view architecture);

}  // namespace attnscope
