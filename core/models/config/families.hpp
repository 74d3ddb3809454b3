// core/models: the families of models as a table: which names their tensors and settings have, and how a
// block is put together. A family more is a row more. Source of every row: transformers 5.24, the files
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

/// What a tensor of a model is for.
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
  QueryKeyValue,  // the three as one matrix
  Output,
  QueryNorm,
  KeyNorm,
  AfterAttentionNorm,  // on attention's output, or on the sum with it
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
enum class BiasRule : std::uint8_t { Never, Always, Attention, Mlp };  // the last two: as the config says

struct PartName {
  Part part;
  std::string_view path;  // of the module, "{}" = number of the block; its tensors are path.weight, path.bias
  BiasRule bias = BiasRule::Never;
};

/// How the rows of a matrix that makes queries, keys and values at once are ordered.
enum class FusedOrder : std::uint8_t { None, Thirds, PerHead };  // PerHead: (head, [q, k, v], d_k)

/// The names of settings in config.json; empty where a family has none. Numbers: what a missing key means.
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

/// Another spelling of a key that transformers maps to it ("attribute_map"), and the key.
using KeyAlias = std::pair<std::string_view, std::string_view>;

struct FamilyRow {
  std::string_view name;
  std::span<const std::string_view> model_types;  // "model_type" of config.json
  std::span<const std::string_view> prefixes;     // that all of a file's tensors may begin with
  Arrangement arrangement;
  NormKind norm;
  ModelPositions positions;
  FusedOrder fused;
  bool input_output;  // matrices lie as [d_in][d_out]
  ConfigKeys keys;
  std::span<const PartName> model, encoder, decoder;  // paths of the blocks' parts are below the stack's own
  std::span<const KeyAlias> aliases{};
};

std::span<const FamilyRow> families();
/// By "model_type"; null for others.
const FamilyRow* find_family(std::string_view model_type);
/// Nothing where the family has no such part.
const PartName* find_part(std::span<const PartName>, Part);
/// The path with the number of the block in its place.
std::string path_of(const PartName&, std::size_t block = 0);
/// The same as GGUF files name it, which is the same in all families; empty where they have no such part.
std::string gguf_path_of(Part, std::size_t block = 0);
/// By "general.architecture" of a GGUF file; null for others.
const FamilyRow* find_gguf_family(std::string_view architecture);

}  // namespace attnscope
