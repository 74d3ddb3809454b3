// core/document: the stages of attention in data-flow order, and the one table of what each computes, reads
// and holds. Pipeline, backends, labels and documentation read this table; code that needs the kind of a
// stage calls a predicate below.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/bit_set.hpp"

namespace attnscope {

enum class Stage : std::uint8_t {
  Embed,          // token vectors
  Position,       // + positions
  Memory,         // cross-attention: the vectors that keys and values are projected from
  AttentionNorm,  // of a block: the token vectors, normed or unchanged
  QueryLatent,    // latent attention: the latent of the queries
  Latent,         // latent attention: the latent of keys and values of all heads
  Fuse,           // fused weights: queries, keys and values as one product
  Query,
  Key,
  Value,
  NormQuery,  // QK-norm, or the queries themselves
  NormKey,
  RotateQuery,  // rotary positions, or the queries unchanged
  RotateKey,
  Bucket,        // LSH patterns: the hash buckets of queries and keys
  Score,         // query · key
  Scale,         // x 1/sqrt(d_k)
  Cap,           // c·tanh(x / c), or the scaled scores themselves
  Bias,          // positions that are added to scores
  Mask,          // + bias; hidden keys get the hidden value
  Softmax,       // attention weights
  Linear,        // linear attention: the weights it implies
  Intervention,  // the weights after intervention, or the weights themselves
  Drop,          // dropout, or the weights themselves
  Mix,           // weights · value, per head
  Concat,        // the heads side by side
  Output,        // · W_O
  // The rest of a block; null without one.
  OutputNorm,     // the output, normed or unchanged
  Residual,       // + token vectors
  StreamNorm,     // the sum normed, or as it is
  MlpNorm,        // what the MLP reads
  Gate,           // of a gated MLP
  Up,             // · W_up
  Activation,     // f(up), or f(gate) times up
  Down,           // · W_down
  MlpOutputNorm,  // the MLP's output, normed or unchanged
  MlpResidual,    // + the residual stream before the MLP
  BlockOutput,    // the sum normed, or as it is
};
/// The number of a stage's row, from 0.
constexpr std::size_t index_of(Stage stage) { return static_cast<std::size_t>(stage); }
inline constexpr std::size_t stage_count = index_of(Stage::BlockOutput) + 1;

// The order of the enumerators is that of the table's rows. Code must not compare stages by it, but use the
// columns of the table.
bool operator<(Stage, Stage) = delete;
bool operator>(Stage, Stage) = delete;
bool operator<=(Stage, Stage) = delete;
bool operator>=(Stage, Stage) = delete;
std::strong_ordering operator<=>(Stage, Stage) = delete;

using Stages = BitSet<Stage, stage_count>;

/// A value for each stage.
template <class T>
class PerStage {
 public:
  constexpr T& operator[](Stage stage) { return values_[index_of(stage)]; }
  constexpr const T& operator[](Stage stage) const { return values_[index_of(stage)]; }
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }

 private:
  std::array<T, stage_count> values_{};
};

/// The phase of attention that a stage belongs to.
enum class StageLevel : std::uint8_t {
  Source,       // token vectors
  Projection,   // queries, keys and values
  Rotation,     // queries and keys up to the scores: QK-norm and rotation
  Scores,       // a query against a key, up to the masked logits
  Weights,      // weights of every key, up to those that mix the values
  HeadOutput,   // of each head
  LayerOutput,  // of all heads together
  Block,        // residual stream and MLP
};

/// What a stage's tensor holds.
enum class StageKind : std::uint8_t {
  Vectors,  // a row of dimensions for each token, query or key
  Buckets,  // hash buckets of queries and keys
  Scores,   // a plane: a logit for each query and key
  Bias,     // a plane of position bias that is added to the scores
  Weights,  // a plane: the weight of each key for each query
};

/// The parts of a Document that stages read. Every member of Document that a stage's numbers depend on
/// belongs to one.
enum class Field : std::uint8_t {
  Tokens,        // the token strings, the padded length and the cached tokens
  Memory,        // the token strings of the second sequences
  Given,         // Q, K, V as numbers
  Vectors,       // token vectors as numbers
  Embedding,     // kind, gain, seed, token vectors edited by hand
  Width,         // d_model, d_k, d_v
  Positions,     // kind, settings, table, seed
  Heads,         // heads of queries, of keys and values
  QueryWeights,  // W_Q, b_Q; likewise below
  KeyWeights,
  ValueWeights,
  OutputWeights,
  Fused,
  QkNorm,     // kind, epsilon, weights
  Latent,     // widths, W_DKV, W_DQ, norms
  AddedKeys,  // the learned key and the key of zeros
  Scaling,
  SoftCap,
  Masking,
  Softmax,  // kind and temperature
  Linear,
  Intervention,
  Dropout,
  Block,       // arrangement
  BlockNorms,  // kind, epsilon, weights
  Residuals,
  Mlp,  // whether there is one, gate, activation, width
  MlpWeights,
  Precision,
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(Field::Precision) + 1;
using Fields = BitSet<Field, field_count>;

struct StageInfo {
  Stage stage;
  StageLevel level;  // never decreases from row to row
  StageKind kind;
  std::string_view name;     // "Scores"
  std::string_view symbol;   // "S"
  std::string_view formula;  // "S = Q·Kᵀ"
  std::string_view shape;    // "[batch][heads][queries][keys]"
  Fields fields;             // fields of the Document that it reads directly
  Stages inputs;             // stages whose tensors it reads; all are earlier in the table
};

inline constexpr std::string_view scores_shape = "[batch][heads][queries][keys]";  // of a plane
inline constexpr std::string_view stream_shape = "[batch][queries][d_model]",
                                  inner_shape = "[batch][queries][d_inner]";

/// All stages; each comes after its inputs. Sources: Vaswani et al. 2017, sections 3.2.1 (scaled dot-product
/// attention), 3.2.2 (multi-head), 3.5 (sinusoidal positions); the others are given at the stage functions in
/// core/attention. Stages that a Document does not have are null in its Trace; stages that change nothing
/// share the tensor of the previous stage.
// With given Q, K and V the stages up to Fuse, Output (without a given W_O) and those of a block do not
// exist, so each of them reads Field::Given. Every stage stores its tensor in the Document's precision.
inline constexpr auto stage_table = std::to_array<StageInfo>({
    {Stage::Embed, StageLevel::Source, StageKind::Vectors, "Embedding", "E", "E = vector of each token",
     "[batch][tokens][d_model]",
     Fields{Field::Tokens, Field::Given, Field::Vectors, Field::Embedding, Field::Width, Field::Precision},
     Stages{}},
    {Stage::Position, StageLevel::Source, StageKind::Vectors, "Position", "X", "X = E + P",
     "[batch][tokens][d_model]", Fields{Field::Given, Field::Embedding, Field::Positions, Field::Precision},
     Stages{Stage::Embed}},
    {Stage::Memory, StageLevel::Source, StageKind::Vectors, "Memory", "N", "N = E + P of the second sequence",
     "[batch][keys][d_model]",
     Fields{Field::Memory, Field::Given, Field::Vectors, Field::Embedding, Field::Width, Field::Positions,
            Field::Precision},
     Stages{}},
    {Stage::AttentionNorm, StageLevel::Source, StageKind::Vectors, "Normed input", "Xₙ", "Xₙ = norm(X)",
     "[batch][tokens][d_model]", Fields{Field::Given, Field::Block, Field::BlockNorms, Field::Precision},
     Stages{Stage::Position}},
    {Stage::QueryLatent, StageLevel::Projection, StageKind::Vectors, "Query latent", "c_Q", "c_Q = X·W_DQ",
     "[batch][tokens][d_c]", Fields{Field::Given, Field::Latent, Field::Precision},
     Stages{Stage::AttentionNorm}},
    {Stage::Latent, StageLevel::Projection, StageKind::Vectors, "Latent", "ℓ", "ℓ = X·W_DKV = [c, k_R]",
     "[batch][keys][d_c + d_R]", Fields{Field::Given, Field::Latent, Field::Precision},
     Stages{Stage::AttentionNorm, Stage::Memory}},
    {Stage::Fuse, StageLevel::Projection, StageKind::Vectors, "Fused QKV", "F", "F = X·[W_Q W_K W_V] + b",
     "[batch][tokens][(heads + kv heads)·d_k + kv heads·d_v]",
     Fields{Field::Given, Field::Vectors, Field::Memory, Field::Fused, Field::QueryWeights, Field::KeyWeights,
            Field::ValueWeights, Field::Latent, Field::Precision},
     Stages{Stage::AttentionNorm}},
    {Stage::Query, StageLevel::Projection, StageKind::Vectors, "Queries", "Q", "Q = X·W_Q + b_Q",
     "[batch][heads][queries][d_k]",
     Fields{Field::Given, Field::Tokens, Field::Heads, Field::Width, Field::QueryWeights, Field::Precision},
     Stages{Stage::AttentionNorm, Stage::QueryLatent, Stage::Fuse}},
    {Stage::Key, StageLevel::Projection, StageKind::Vectors, "Keys", "K", "K = X·W_K + b_K",
     "[batch][kv heads][keys][d_k]",
     Fields{Field::Given, Field::Heads, Field::Width, Field::KeyWeights, Field::AddedKeys, Field::Precision},
     Stages{Stage::AttentionNorm, Stage::Memory, Stage::Latent, Stage::Fuse}},
    {Stage::Value, StageLevel::Projection, StageKind::Vectors, "Values", "V", "V = X·W_V + b_V",
     "[batch][kv heads][keys][d_v]",
     Fields{Field::Given, Field::Vectors, Field::Heads, Field::Width, Field::ValueWeights, Field::AddedKeys,
            Field::Precision},
     Stages{Stage::AttentionNorm, Stage::Memory, Stage::Latent, Stage::Fuse}},
    {Stage::NormQuery, StageLevel::Rotation, StageKind::Vectors, "Normed queries", "Qₙ", "Qₙ = norm(Q) ∘ γ_Q",
     "[batch][heads][queries][d_k]", Fields{Field::Given, Field::QkNorm, Field::Precision},
     Stages{Stage::Query}},
    {Stage::NormKey, StageLevel::Rotation, StageKind::Vectors, "Normed keys", "Kₙ", "Kₙ = norm(K) ∘ γ_K",
     "[batch][kv heads][keys][d_k]", Fields{Field::Given, Field::QkNorm, Field::AddedKeys, Field::Precision},
     Stages{Stage::Key}},
    {Stage::RotateQuery, StageLevel::Rotation, StageKind::Vectors, "Rotated queries", "Q′", "Q′ = R(p)·Q",
     "[batch][heads][queries][d_k]",
     Fields{Field::Given, Field::Vectors, Field::Tokens, Field::Memory, Field::Positions, Field::Latent,
            Field::Precision},
     Stages{Stage::NormQuery}},
    {Stage::RotateKey, StageLevel::Rotation, StageKind::Vectors, "Rotated keys", "K′", "K′ = R(p)·K",
     "[batch][kv heads][keys][d_k]",
     Fields{Field::Given, Field::Vectors, Field::Tokens, Field::Memory, Field::Positions, Field::Latent,
            Field::AddedKeys, Field::Precision},
     Stages{Stage::NormKey}},
    {Stage::Bucket, StageLevel::Scores, StageKind::Buckets, "Buckets", "h", "h = argmax [x·R, −x·R]",
     "[batch][heads][rounds][queries + keys]", Fields{Field::Masking, Field::AddedKeys},
     Stages{Stage::RotateQuery, Stage::RotateKey}},
    {Stage::Score, StageLevel::Scores, StageKind::Scores, "Scores", "S", "S = Q·Kᵀ", scores_shape,
     Fields{Field::Precision}, Stages{Stage::RotateQuery, Stage::RotateKey}},
    {Stage::Scale, StageLevel::Scores, StageKind::Scores, "Scaled logits", "S′", "S′ = S / √d_k",
     scores_shape, Fields{Field::Scaling, Field::Precision}, Stages{Stage::Score, Stage::Query}},
    {Stage::Cap, StageLevel::Scores, StageKind::Scores, "Capped logits", "G", "G = c·tanh(S′ / c)",
     scores_shape, Fields{Field::SoftCap, Field::Precision}, Stages{Stage::Scale}},
    {Stage::Bias, StageLevel::Scores, StageKind::Bias, "Position bias", "B", "B = b(head, j − p)",
     "[1 or batch][heads][queries][keys]",
     Fields{Field::Tokens, Field::Memory, Field::Given, Field::Vectors, Field::Heads, Field::Width,
            Field::QueryWeights, Field::KeyWeights, Field::Positions, Field::AddedKeys, Field::Scaling,
            Field::Precision},
     Stages{Stage::RotateQuery, Stage::RotateKey}},
    {Stage::Mask, StageLevel::Scores, StageKind::Scores, "Masked logits", "M", "M = G + B + mask",
     scores_shape,
     Fields{Field::Tokens, Field::Memory, Field::Given, Field::Vectors, Field::Masking, Field::AddedKeys,
            Field::Precision},
     Stages{Stage::Cap, Stage::Bias, Stage::Bucket}},
    {Stage::Softmax, StageLevel::Weights, StageKind::Weights, "Weights", "A", "A = softmax(M / τ)",
     scores_shape, Fields{Field::Softmax, Field::Precision}, Stages{Stage::Mask, Stage::Bucket}},
    {Stage::Linear, StageLevel::Weights, StageKind::Weights, "Linear weights", "L", "L = φ(Q)·φ(K)ᵀ / Σ",
     scores_shape, Fields{Field::Linear, Field::Precision},
     Stages{Stage::NormQuery, Stage::NormKey, Stage::RotateQuery, Stage::RotateKey, Stage::Mask}},
    {Stage::Intervention, StageLevel::Weights, StageKind::Weights, "After intervention", "A′",
     "A′ = A, or the pattern put in its place", scores_shape,
     Fields{Field::Linear, Field::Intervention, Field::Precision},
     Stages{Stage::Bucket, Stage::Mask, Stage::Softmax, Stage::Linear}},
    {Stage::Drop, StageLevel::Weights, StageKind::Weights, "Dropped", "D", "D = A′ ∘ keep / (1 − r)",
     scores_shape, Fields{Field::Dropout, Field::Precision}, Stages{Stage::Intervention}},
    {Stage::Mix, StageLevel::HeadOutput, StageKind::Vectors, "Head outputs", "Z", "Z = A·V",
     "[batch][heads][queries][d_v]", Fields{Field::Precision}, Stages{Stage::Value, Stage::Drop}},
    {Stage::Concat, StageLevel::LayerOutput, StageKind::Vectors, "Concat", "C", "C = [Z₁ … Z_h]",
     "[batch][queries][heads·d_v]", Fields{}, Stages{Stage::Mix}},
    {Stage::Output, StageLevel::LayerOutput, StageKind::Vectors, "Output", "Y", "Y = C·W_O + b_O",
     "[batch][queries][d_model]", Fields{Field::Given, Field::OutputWeights, Field::Precision},
     Stages{Stage::Concat}},
    {Stage::OutputNorm, StageLevel::Block, StageKind::Vectors, "Normed output", "Yₙ", "Yₙ = norm(Y)",
     stream_shape, Fields{Field::Given, Field::Block, Field::BlockNorms, Field::Precision},
     Stages{Stage::Output}},
    {Stage::Residual, StageLevel::Block, StageKind::Vectors, "Residual", "R", "R = X + Yₙ", stream_shape,
     Fields{Field::Given, Field::Tokens, Field::Block, Field::Residuals, Field::Precision},
     Stages{Stage::Position, Stage::OutputNorm}},
    {Stage::StreamNorm, StageLevel::Block, StageKind::Vectors, "Normed residual", "R′", "R′ = norm(R)",
     stream_shape, Fields{Field::Given, Field::Block, Field::BlockNorms, Field::Precision},
     Stages{Stage::Residual}},
    {Stage::MlpNorm, StageLevel::Block, StageKind::Vectors, "MLP input", "Rₙ", "Rₙ = norm(R′)", stream_shape,
     Fields{Field::Given, Field::Tokens, Field::Block, Field::BlockNorms, Field::Mlp, Field::Precision},
     Stages{Stage::Position, Stage::StreamNorm}},
    {Stage::Gate, StageLevel::Block, StageKind::Vectors, "MLP gate", "T", "T = Rₙ·W_gate + b_gate",
     inner_shape, Fields{Field::Given, Field::Block, Field::Mlp, Field::MlpWeights, Field::Precision},
     Stages{Stage::MlpNorm}},
    {Stage::Up, StageLevel::Block, StageKind::Vectors, "MLP up", "U", "U = Rₙ·W_up + b_up", inner_shape,
     Fields{Field::Given, Field::Block, Field::Mlp, Field::MlpWeights, Field::Precision},
     Stages{Stage::MlpNorm}},
    {Stage::Activation, StageLevel::Block, StageKind::Vectors, "MLP activation", "J", "J = f(U), or f(T) ∘ U",
     inner_shape, Fields{Field::Given, Field::Block, Field::Mlp, Field::Precision},
     Stages{Stage::Gate, Stage::Up}},
    {Stage::Down, StageLevel::Block, StageKind::Vectors, "MLP output", "O", "O = J·W_down + b_down",
     stream_shape, Fields{Field::Given, Field::Block, Field::Mlp, Field::MlpWeights, Field::Precision},
     Stages{Stage::Activation}},
    {Stage::MlpOutputNorm, StageLevel::Block, StageKind::Vectors, "Normed MLP output", "Oₙ", "Oₙ = norm(O)",
     stream_shape, Fields{Field::Given, Field::Block, Field::BlockNorms, Field::Mlp, Field::Precision},
     Stages{Stage::Down}},
    {Stage::MlpResidual, StageLevel::Block, StageKind::Vectors, "MLP residual", "R₂", "R₂ = R′ + Oₙ",
     stream_shape, Fields{Field::Given, Field::Block, Field::Residuals, Field::Mlp, Field::Precision},
     Stages{Stage::StreamNorm, Stage::MlpOutputNorm}},
    {Stage::BlockOutput, StageLevel::Block, StageKind::Vectors, "Block output", "X₂", "X₂ = norm(R₂)",
     stream_shape, Fields{Field::Given, Field::Block, Field::BlockNorms, Field::Mlp, Field::Precision},
     Stages{Stage::StreamNorm, Stage::MlpResidual}},
});

constexpr const StageInfo& info(Stage stage) { return stage_table[index_of(stage)]; }

/// A vector for each token, query or key.
constexpr bool holds_vectors(Stage stage) { return info(stage).kind == StageKind::Vectors; }
/// Attention weights of any kind.
constexpr bool holds_weights(Stage stage) { return info(stage).kind == StageKind::Weights; }
/// Scores or weights: all planes but the bias.
constexpr bool holds_scores_or_weights(Stage stage) {
  return info(stage).kind == StageKind::Scores || holds_weights(stage);
}
/// A number for each query and key: scores, weights, or the bias.
constexpr bool holds_plane(Stage stage) {
  return holds_scores_or_weights(stage) || info(stage).kind == StageKind::Bias;
}

/// The projections: queries, keys, values, their fused product and the latents.
constexpr bool is_projection(Stage stage) { return info(stage).level == StageLevel::Projection; }
/// The latents of latent attention: a narrow vector for each token, from which all heads are projected.
constexpr bool is_latent(Stage stage) { return stage == Stage::QueryLatent || stage == Stage::Latent; }
/// Stages computed for each token separately: n rows for n tokens, while scores and weights are n² numbers.
constexpr bool is_before_scores(Stage stage) {
  const StageLevel level = info(stage).level;
  return level == StageLevel::Source || level == StageLevel::Projection || level == StageLevel::Rotation;
}
/// The concatenated heads, and the output of the layer.
constexpr bool is_layer_output(Stage stage) { return info(stage).level == StageLevel::LayerOutput; }
/// Stages of a block after its attention layer.
constexpr bool is_after_attention(Stage stage) { return info(stage).level == StageLevel::Block; }
/// Stages of the block around the attention layer.
constexpr bool is_of_block(Stage stage) { return stage == Stage::AttentionNorm || is_after_attention(stage); }
/// Stages after the weights: the mixed values and everything computed from them.
constexpr bool is_after_weights(Stage stage) {
  return info(stage).level == StageLevel::HeadOutput || is_layer_output(stage) || is_after_attention(stage);
}

/// The stages for which the predicate is true.
template <class Question>
constexpr Stages stages_that(Question question) {
  Stages found;
  for (const StageInfo& row : stage_table)
    if (question(row.stage)) found.insert(row.stage);
  return found;
}

/// The stages before this one in the table.
constexpr Stages stages_before(Stage stage) {
  Stages before;
  for (const StageInfo& row : stage_table) {
    if (row.stage == stage) break;
    before.insert(row.stage);
  }
  return before;
}

}  // namespace attnscope
