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
  EmbeddingMap,   // from narrower embeddings to d_model
  AttentionNorm,  // before attention
  Query,
  Key,
  Value,
  QueryKeyValue,  // the three stacked in one matrix
  Output,
  AttentionScale,  // a vector that multiplies what attention adds
  MlpScale,        // the same for the MLP
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
  GateUp,  // the two stacked in one matrix, the gate first
  UpGate,  // the same, the gate second
  Down,
  Router,            // of a mixture of experts
  RouterCorrection,  // a vector
  ExpertGate,        // of one expert; the second "{}" in the path is its number
  ExpertUp,
  ExpertDown,
  SharedGate,  // of the expert that every token takes
  SharedUp,
  SharedDown,
  SharedSwitch,  // the number that it is multiplied by
  Sinks,         // a vector
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
  /// Of the module; the first "{}" is the block's number. Tensors are path.weight and path.bias.
  std::string_view path;
  BiasRule bias = BiasRule::Never;
};

/// The order of rows in a matrix that makes queries, keys and values at once.
enum class FusedOrder : std::uint8_t {
  None,
  Stacked,   // all queries, all keys, all values
  PerHead,   // for each head its query, key and value
  Grouped,   // for each head of keys the queries that share it, its key and its value
  Quarters,  // CodeGen: for each quarter of the heads its queries, values and keys
};

/// What the files hold of a norm.
enum class NormForm : std::uint8_t {
  Usual,       // RMSNorm a weight, LayerNorm a bias too
  WeightOnly,  // LayerNorm without bias
  Nothing,     // neither: the weight is 1
  LessOne,     // LayerNorm's weight minus 1, and a bias
};

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
  bool partial = false;     // whether a part of a head's dimensions may turn
  bool sections = false;    // keys for rows and columns of pictures may be there, which text does not need
  int default_trained = 0;  // "original_max_position_embeddings" if it is missing; 0 = all positions
  /// Whether blocks with a window have rotary settings of their own: "rope_parameters" then holds an object
  /// for each kind of block. In older configs they have the base `local_base`, or if this is empty that of
  /// the others, and no scaling.
  bool by_type = false;
  std::string_view local_base = {};
  double default_local_base = 10'000;
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

/// The multipliers in GGUF headers: "embedding_scale", "residual_scale", "attention.scale", "logit_scale".
enum class GgufScales : std::uint8_t {
  None,           // none of them is read
  Logits,         // logits are multiplied by the last
  LogitsDivided,  // logits are divided by it
};

/// What GGUF headers do not say, and the defaults of what they leave out.
struct GgufRules {
  std::string_view architecture = {};   // empty: the first of the family's model types
  bool interleaved = false;             // rotary pairs are neighbouring dimensions
  int unrotated_every = 0;              // every so many blocks one does not rotate; 0 = all do
  int window = 0;                       // 0 = none
  bool every_second = false;            // only blocks 0, 2, 4, … have the window
  int full_every = 0;                   // every so many blocks one has no window; 0 = all have it
  double local_base = 0;                // of RoPE in blocks with a window; 0 = that of the others
  double score_cap = 0, logit_cap = 0;  // 0 = the family has none
  GgufScales scales = GgufScales::None;
  bool grows_queries = false;                  // by "attention.temperature_scale"
  std::span<const PartName> names = {};        // of parts that other families' files name otherwise
  std::optional<ExpertSettings> experts = {};  // of files that have experts: what their header does not say
  int blocks_scaled_by_width = 0;  // a model of so many blocks divides scores by √(d_model / heads)
};

class ConfigObject;

struct Family {
  std::string_view name;                               // "GPT-2"
  std::span<const std::string_view> model_types = {};  // "model_type" of config.json
  std::span<const std::string_view> prefixes = {};     // that all tensor names of a file may begin with
  Arrangement arrangement = Arrangement::PreNorm;
  NormKind norm = NormKind::LayerNorm;
  NormForm norm_form = NormForm::Usual;
  Positions positions = Positions::Learned;
  FusedOrder fused = FusedOrder::None;
  bool input_output = false;  // matrices lie as [d_in][d_out]
  ConfigKeys keys = {};
  std::span<const PartName> model = {}, encoder = {}, decoder = {};  // block paths are below the stack's own
  std::span<const PartName> other_norms = {};  // of blocks: names that count if the files have them
  std::span<const KeyAlias> aliases = {};
  std::span<const HeadRow> heads = {};

  bool tied = true;             // unless "tie_word_embeddings" says otherwise
  bool attention_bias = false;  // unless the config says otherwise
  bool mlp_bias = false;        // unless the config says otherwise
  std::string_view attention_bias_key = "attention_bias", mlp_bias_key = "mlp_bias";
  bool scaled_embeddings = false;    // by √d_model
  bool may_decode = false;           // an encoder that "is_decoder" makes a decoder
  bool reads_layer_types = false;    // "layer_types" says which blocks have a window
  bool first_unnormed = false;       // the first block has no norm before attention
  std::string_view groups_key = {};  // blocks share weights in so many groups; empty: each has its own
  bool experts_stacked = false;      // all experts lie in one tensor, as gpt-oss has them
  bool norms_all_heads = false;      // the norms of queries and keys are over all heads at once
  bool turns_in_windows = false;     // blocks without a window have no positions
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

  /// The names of a block: of the only stack, or of the decoder.
  std::span<const PartName> blocks() const { return decoder.empty() ? encoder : decoder; }
  /// Whether its MLPs have a gate. Families of two stacks say it themselves.
  bool is_gated() const;
};

/// Null if the family has no such part.
const PartName* find_part(std::span<const PartName>, Part);
/// The path with the numbers of the block and of the expert filled in.
std::string path_of(const PartName&, std::size_t block = 0, std::size_t expert = 0);

}  // namespace attnscope
