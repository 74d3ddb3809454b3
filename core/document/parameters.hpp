// core/document: the table of the parameters of an attention layer and its block: names, shapes and the Field
// of the Document that each belongs to. Weights, the sources of a computation, gradients, files, parity and
// the editing of numbers iterate over it, so a new parameter is one row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/tensor.hpp"
#include "core/document/stage.hpp"
#include "core/transformer/positions.hpp"

namespace attnscope {

/// W_Q, W_K, W_V and W_O, with their biases.
enum class Projection { Query, Key, Value, Output };

/// The parameters before PositionTable can be edited by hand (see Editable in core/edits/numbers.hpp); those
/// of positions and blocks cannot.
enum class Parameter : std::uint8_t {
  WQuery,
  WKey,
  WValue,
  WOutput,
  BQuery,
  BKey,
  BValue,
  BOutput,
  BiasK,  // the learned key and value that every query sees
  BiasV,
  QueryNorm,  // QkNorm
  KeyNorm,
  WLatent,       // latent attention: W_DKV
  LatentNorm,    // Latent::normed
  WQueryLatent,  // W_DQ
  QueryLatentNorm,
  SinkLogits,     // a logit for each head that joins the softmax and has no value
  PositionTable,  // of kinds of positions, see ParameterInfo::scheme
  RelativeBias,
  WindowBias,
  RelativeVectors,
  AttentionNorm,  // from here on of a block, see block_settings.hpp
  AttentionNormBias,
  OutputNorm,  // of the attention output, before or after the residual addition
  OutputNormBias,
  MlpNorm,
  MlpNormBias,
  MlpOutputNorm,
  MlpOutputNormBias,
  WUp,  // of the MLP
  BUp,
  WGate,
  BGate,
  WDown,
  BDown,
};
inline constexpr std::size_t parameter_count = 35;

enum class ParameterKind : std::uint8_t {
  Matrix,    // of a projection y = x·W + b; required unless Q, K and V are given
  Bias,      // of a projection; may be missing
  ExtraRow,  // a key or value after those of the tokens; may be missing
  Position,  // read by one kind of positions only; drawn from the seed if missing
  Norm,      // read by QkNorm only; 1 if missing
  Sink,      // of the softmax; may be missing
  // Of latent attention.
  Latent,      // required; W_DQ only if queries have a latent
  LatentNorm,  // 1 if missing
  // Of a block; read where BlockSettings say so.
  BlockNorm,    // if missing 1, or 0 for biases and where 1 is added
  BlockMatrix,  // of the MLP, y = x·W + b; required
  BlockBias,    // may be missing
};

/// The size of a dimension of a parameter.
enum class Extent : std::uint8_t {
  None,  // no such dimension
  Model,
  QuerySource,   // width of the vectors that queries are projected from: d_model, or that of their latent
  KeySource,     // the same for keys: d_model, that of given vectors, or that of the latent
  ValueSource,   // the same for values
  LatentSource,  // width of the vectors that the latent is projected from
  Latent,        // width of the latent, with the shared key
  Content,       // width of the latent without the shared key
  QueryLatent,
  QueryHeads,     // heads · d_k
  KeyHeads,       // kv heads · (d_k without the shared key)
  WholeKeyHeads,  // kv heads · d_k
  ValueHeads,     // kv heads · d_v
  MixedHeads,     // heads · d_v
  Positions,      // at least the number of tokens
  TableRows,      // of the other tables of positions: table_rows()
  Heads,
  HeadWidth,    // d_k
  NormedQuery,  // of a query's norm: d_k, or heads · d_k if one norm is over all heads
  NormedKey,    // of a key's: d_k, or kv heads · d_k
  Inner,        // of the MLP
};

/// [rows][columns], or [columns] for one row.
using Extents = std::array<Extent, 2>;

struct ParameterInfo {
  Parameter parameter;
  ParameterKind kind;
  std::optional<Projection> projection;  // of Matrix and Bias
  std::string_view name;                 // in messages
  std::string_view id;                   // in sessions and number editing
  std::string_view key;                  // in a document file, under "weights"
  std::string_view layer_key;            // in a layer file (see layer_tensors.hpp); empty = not held there
  Field field;                           // the Field that a change of it belongs to
  Extents extents;                       // of its dimensions
  std::optional<Positions> scheme = {};  // of Position: the kind of positions that reads it
  std::string_view rows = {};            // of TableRows: their number in messages
  constexpr int rank() const { return extents[1] == Extent::None ? 1 : 2; }
  constexpr Extent columns() const { return extents[static_cast<std::size_t>(rank() - 1)]; }
};

inline constexpr std::array<ParameterInfo, parameter_count> parameter_table{{
    {Parameter::WQuery, ParameterKind::Matrix, Projection::Query, "W_Q", "query-weights", "query", "W_q",
     Field::QueryWeights, Extents{Extent::QuerySource, Extent::QueryHeads}},
    {Parameter::WKey, ParameterKind::Matrix, Projection::Key, "W_K", "key-weights", "key", "W_k",
     Field::KeyWeights, Extents{Extent::KeySource, Extent::KeyHeads}},
    {Parameter::WValue, ParameterKind::Matrix, Projection::Value, "W_V", "value-weights", "value", "W_v",
     Field::ValueWeights, Extents{Extent::ValueSource, Extent::ValueHeads}},
    {Parameter::WOutput, ParameterKind::Matrix, Projection::Output, "W_O", "output-weights", "output", "W_o",
     Field::OutputWeights, Extents{Extent::MixedHeads, Extent::Model}},
    {Parameter::BQuery, ParameterKind::Bias, Projection::Query, "b_Q", "query-bias", "query_bias", "b_q",
     Field::QueryWeights, Extents{Extent::QueryHeads}},
    {Parameter::BKey, ParameterKind::Bias, Projection::Key, "b_K", "key-bias", "key_bias", "b_k",
     Field::KeyWeights, Extents{Extent::KeyHeads}},
    {Parameter::BValue, ParameterKind::Bias, Projection::Value, "b_V", "value-bias", "value_bias", "b_v",
     Field::ValueWeights, Extents{Extent::ValueHeads}},
    {Parameter::BOutput, ParameterKind::Bias, Projection::Output, "b_O", "output-bias", "output_bias", "b_o",
     Field::OutputWeights, Extents{Extent::Model}},
    {Parameter::BiasK, ParameterKind::ExtraRow, std::nullopt, "the learned key", "extra-key", "extra_key",
     "bias_k", Field::AddedKeys, Extents{Extent::WholeKeyHeads}},
    {Parameter::BiasV, ParameterKind::ExtraRow, std::nullopt, "the learned value", "extra-value",
     "extra_value", "bias_v", Field::AddedKeys, Extents{Extent::ValueHeads}},
    {Parameter::QueryNorm, ParameterKind::Norm, std::nullopt, "the norm of the queries", "query-norm",
     "query_norm", "", Field::QkNorm, Extents{Extent::NormedQuery}},
    {Parameter::KeyNorm, ParameterKind::Norm, std::nullopt, "the norm of the keys", "key-norm", "key_norm",
     "", Field::QkNorm, Extents{Extent::NormedKey}},
    {Parameter::WLatent, ParameterKind::Latent, std::nullopt, "W_DKV", "latent-weights", "latent", "",
     Field::Latent, Extents{Extent::LatentSource, Extent::Latent}},
    {Parameter::LatentNorm, ParameterKind::LatentNorm, std::nullopt, "the norm of the latent", "latent-norm",
     "latent_norm", "", Field::Latent, Extents{Extent::Content}},
    {Parameter::WQueryLatent, ParameterKind::Latent, std::nullopt, "W_DQ", "query-latent-weights",
     "query_latent", "", Field::Latent, Extents{Extent::Model, Extent::QueryLatent}},
    {Parameter::QueryLatentNorm, ParameterKind::LatentNorm, std::nullopt,
     "the norm of the latent of the queries", "query-latent-norm", "query_latent_norm", "", Field::Latent,
     Extents{Extent::QueryLatent}},
    {Parameter::SinkLogits, ParameterKind::Sink, std::nullopt, "the sink logits", "sink-logits", "sinks", "",
     Field::Softmax, Extents{Extent::Heads}},
    {Parameter::PositionTable, ParameterKind::Position, std::nullopt, "the table of positions",
     "position-table", "positions", "", Field::Positions, Extents{Extent::Positions, Extent::Model},
     Positions::Learned},
    {Parameter::RelativeBias, ParameterKind::Position, std::nullopt, "the relative position bias",
     "relative-bias", "relative_bias", "", Field::Positions, Extents{Extent::TableRows, Extent::Heads},
     Positions::RelativeBuckets, "buckets"},
    {Parameter::WindowBias, ParameterKind::Position, std::nullopt, "the window position bias", "window-bias",
     "window_bias", "", Field::Positions, Extents{Extent::TableRows, Extent::Heads},
     Positions::RelativeWindows, "(2 · side - 1)²"},
    {Parameter::RelativeVectors, ParameterKind::Position, std::nullopt, "the relative position vectors",
     "relative-vectors", "relative_vectors", "", Field::Positions, Extents{Extent::TableRows, Extent::Model},
     Positions::Disentangled, "2 · span"},
    {Parameter::AttentionNorm, ParameterKind::BlockNorm, std::nullopt, "the norm before attention",
     "attention-norm", "attention_norm", "", Field::BlockNorms, Extents{Extent::Model}},
    {Parameter::AttentionNormBias, ParameterKind::BlockNorm, std::nullopt,
     "the bias of the norm before attention", "attention-norm-bias", "attention_norm_bias", "",
     Field::BlockNorms, Extents{Extent::Model}},
    {Parameter::OutputNorm, ParameterKind::BlockNorm, std::nullopt, "the norm after attention", "output-norm",
     "output_norm", "", Field::BlockNorms, Extents{Extent::Model}},
    {Parameter::OutputNormBias, ParameterKind::BlockNorm, std::nullopt,
     "the bias of the norm after attention", "output-norm-bias", "output_norm_bias", "", Field::BlockNorms,
     Extents{Extent::Model}},
    {Parameter::MlpNorm, ParameterKind::BlockNorm, std::nullopt, "the norm before the MLP", "mlp-norm",
     "mlp_norm", "", Field::BlockNorms, Extents{Extent::Model}},
    {Parameter::MlpNormBias, ParameterKind::BlockNorm, std::nullopt, "the bias of the norm before the MLP",
     "mlp-norm-bias", "mlp_norm_bias", "", Field::BlockNorms, Extents{Extent::Model}},
    {Parameter::MlpOutputNorm, ParameterKind::BlockNorm, std::nullopt, "the norm after the MLP",
     "mlp-output-norm", "mlp_output_norm", "", Field::BlockNorms, Extents{Extent::Model}},
    {Parameter::MlpOutputNormBias, ParameterKind::BlockNorm, std::nullopt,
     "the bias of the norm after the MLP", "mlp-output-norm-bias", "mlp_output_norm_bias", "",
     Field::BlockNorms, Extents{Extent::Model}},
    {Parameter::WUp, ParameterKind::BlockMatrix, std::nullopt, "W_up", "mlp-up", "mlp_up", "",
     Field::MlpWeights, Extents{Extent::Model, Extent::Inner}},
    {Parameter::BUp, ParameterKind::BlockBias, std::nullopt, "b_up", "mlp-up-bias", "mlp_up_bias", "",
     Field::MlpWeights, Extents{Extent::Inner}},
    {Parameter::WGate, ParameterKind::BlockMatrix, std::nullopt, "W_gate", "mlp-gate", "mlp_gate", "",
     Field::MlpWeights, Extents{Extent::Model, Extent::Inner}},
    {Parameter::BGate, ParameterKind::BlockBias, std::nullopt, "b_gate", "mlp-gate-bias", "mlp_gate_bias", "",
     Field::MlpWeights, Extents{Extent::Inner}},
    {Parameter::WDown, ParameterKind::BlockMatrix, std::nullopt, "W_down", "mlp-down", "mlp_down", "",
     Field::MlpWeights, Extents{Extent::Inner, Extent::Model}},
    {Parameter::BDown, ParameterKind::BlockBias, std::nullopt, "b_down", "mlp-down-bias", "mlp_down_bias", "",
     Field::MlpWeights, Extents{Extent::Model}},
}};

constexpr const ParameterInfo& info(Parameter which) {
  return parameter_table[static_cast<std::size_t>(which)];
}

/// The learned table of a kind of positions; nothing if it has none. The table of its bias: nothing for
/// vectors that are added to tokens, which are constants.
constexpr std::optional<Parameter> table_of(Positions scheme) {
  for (const ParameterInfo& row : parameter_table)
    if (row.scheme == scheme) return row.parameter;
  return std::nullopt;
}
constexpr std::optional<Parameter> bias_table(Positions scheme) {
  return is_added_to_scores(scheme) ? table_of(scheme) : std::nullopt;
}

/// The matrix and the bias of a projection.
Parameter matrix_of(Projection);
Parameter bias_of(Projection);

/// The sizes that parameter shapes follow from; those after d_v are 0 if they are not needed.
struct ParameterSizes {
  std::int64_t d_model = 0, key_source = 0, value_source = 0, heads = 0, kv_heads = 0, d_k = 0, d_v = 0;
  std::int64_t latent = 0, shared_key = 0, query_latent = 0;  // of latent attention; 0 = off
  std::int64_t positions = 0, inner = 0;
  std::int64_t table_rows = 0;   // of the kind of positions that the layer has
  bool norms_all_heads = false;  // of queries and keys
};
std::int64_t size_of(Extent, const ParameterSizes&);
Shape shape_of(const ParameterInfo&, const ParameterSizes&);
/// A shape in words for messages: "[d_model, heads · d_k]".
std::string shape_words(const ParameterInfo&);

/// One tensor, or null, for each Parameter.
template <class T>
class Parameters {
 public:
  TensorPtrOf<T>& operator[](Parameter which) { return tensors_[static_cast<std::size_t>(which)]; }
  const TensorPtrOf<T>& operator[](Parameter which) const {
    return tensors_[static_cast<std::size_t>(which)];
  }
  /// Compares by identity: whether all are the same tensors.
  bool operator==(const Parameters&) const = default;

 private:
  std::array<TensorPtrOf<T>, parameter_count> tensors_;
};

}  // namespace attnscope
