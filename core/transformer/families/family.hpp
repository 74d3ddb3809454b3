// core/transformer/families: Family: all that differs between families of models, as one value: the names of
// their tensors, settings and heads, how a block is put together, exceptions, and the keys of config.json
// that are read or harmless. Each family is a file of this room. Source: transformers 5.24, the files
// modeling_*.py and configuration_*.py of the family.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/blocks/activation.hpp"
#include "core/transformer/families/spec.hpp"

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

/// Keys of rotary positions that families spell differently.
struct RopeKeys {
  std::string_view base = "rope_theta", share = "partial_rotary_factor";
  double default_share = 1, default_base = 10'000;
  bool partial = false;  // whether a part of a head's dimensions may turn
};

/// What a model ends in: out(norm(f(dense(x)))), of which every head has at least the last map. For masked
/// tokens, out.weight is the embedding table if the files lack it.
struct HeadRow {
  std::string_view ending;  // of the architecture's name: "ForMaskedLM"
  HeadKind kind;
  HeadInput input;
  std::string_view dense, norm, out;               // modules; empty = none
  std::string_view bias;                           // name of its bias, if it is not out.bias
  std::optional<Activation> activation;            // nothing: the config's
  bool names_referents = false;                    // see HeadSpec
  std::span<const std::string_view> classes = {};  // fixed names of classes; empty: the config's
};

/// What GGUF headers do not say, and the defaults of what they leave out.
struct GgufRules {
  bool interleaved = false;             // rotary pairs are neighbouring dimensions
  int unrotated_every = 0;              // every so many blocks one does not rotate; 0 = all do
  int window = 0;                       // 0 = none
  bool every_second = false;            // only blocks 0, 2, 4, … have the window
  double score_cap = 0, logit_cap = 0;  // 0 = the family has none
  int blocks_scaled_by_width = 0;       // a model of so many blocks divides scores by √(d_model / heads)
};

class ConfigObject;

struct Family {
  std::string_view name;                               // "GPT-2"
  std::span<const std::string_view> model_types = {};  // "model_type" of config.json
  std::span<const std::string_view> prefixes = {};     // that all tensor names of a file may begin with
  Arrangement arrangement = Arrangement::PreNorm;
  NormKind norm = NormKind::LayerNorm;
  Positions positions = Positions::Learned;
  FusedOrder fused = FusedOrder::None;
  bool input_output = false;  // matrices lie as [d_in][d_out]
  ConfigKeys keys = {};
  std::span<const PartName> model = {}, encoder = {}, decoder = {};  // block paths are below the stack's own
  std::span<const KeyAlias> aliases = {};
  std::span<const HeadRow> heads = {};

  bool tied = true;                // unless "tie_word_embeddings" says otherwise
  bool attention_bias = false;     // unless "attention_bias" or "qkv_bias" says otherwise
  bool scaled_embeddings = false;  // by √d_model
  bool may_decode = false;         // an encoder that "is_decoder" makes a decoder
  bool reads_layer_types = false;  // "layer_types" says which blocks have a window
  RopeKeys rope = {};

  /// Widths of windows, 0 = none, for so many blocks; null: the family has none.
  std::vector<std::int64_t> (*windows)(const ConfigObject&, std::size_t blocks) = nullptr;
  /// Reads what only this family has, into a stack with everything else read; null: nothing.
  void (*read_stack)(const ConfigObject&, StackSpec&) = nullptr;
  /// The same for the model, after its stack.
  void (*read_model)(const ConfigObject&, ModelSpec&) = nullptr;

  std::span<const std::string_view> own_keys = {};       // further keys that are read for this family
  std::span<const std::string_view> harmless_keys = {};  // further keys that change no number of this family
  const GgufRules* gguf = nullptr;                       // null: no GGUF file of it is read
};

/// Null if the family has no such part.
const PartName* find_part(std::span<const PartName>, Part);
/// The path with the block's number filled in.
std::string path_of(const PartName&, std::size_t block = 0);

}  // namespace attnscope
