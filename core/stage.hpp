// core: the stages of attention in data-flow order, and the one table that says what each computes, reads and
// looks like. Pipeline, backends, labels and documentation all read this table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/bit_set.hpp"

namespace attnscope {

enum class Stage : std::uint8_t {
  Embed,     // token vectors
  Position,  // + positions
  Memory,    // cross-attention: what keys and values are made of
  Fuse,      // fused weights: queries, keys and values as one product
  Query,
  Key,
  Value,
  RotateQuery,  // rotary positions, or the queries themselves
  RotateKey,
  Bucket,   // LSH patterns: which queries and keys meet
  Score,    // query · key
  Scale,    // x 1/sqrt(d_k)
  Cap,      // c·tanh(x / c), or the scaled scores themselves
  Bias,     // positions that are added to scores
  Mask,     // + bias; hidden keys get -inf
  Softmax,  // attention weights
  Linear,   // linear attention: the weights it implies
  Surgery,  // the weights after surgery, or the weights themselves
  Drop,     // dropout, or the weights themselves
  Mix,      // weights · value, per head
  Concat,   // the heads side by side
  Output,   // · W_O
};
/// The number of a stage's row, from 0.
constexpr std::size_t index_of(Stage stage) { return static_cast<std::size_t>(stage); }
inline constexpr std::size_t stage_count = index_of(Stage::Output) + 1;

using Stages = BitSet<Stage, stage_count>;

/// The parts of a Document that stages read. Every member of Document that matters to a number of a stage
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
  ExtraKeys,  // the learned one and the one of zeros
  Scaling,
  SoftCap,
  Masking,
  Softmax,  // kind and temperature
  Linear,
  Surgery,
  Dropout,
  Precision,
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(Field::Precision) + 1;
using Fields = BitSet<Field, field_count>;

struct StageInfo {
  Stage stage;
  std::string_view name;     // "Scores"
  std::string_view symbol;   // "S"
  std::string_view formula;  // "S = Q·Kᵀ"
  std::string_view shape;    // "[batch][heads][queries][keys]"
  Fields fields;             // of the Document, read directly
  Stages inputs;             // stages whose tensors it reads; all of them earlier in the table
};

/// All stages, in an order in which each comes after what it reads. Sources: Vaswani et al. 2017,
/// sections 3.2.1 (scaled dot-product attention), 3.2.2 (multi-head), 3.5 (sinusoidal positions); the others
/// stand at the stage functions in core/stages. Stages without a tensor for a Document are null in its Trace;
/// stages that would change nothing share the tensor of the stage before.
extern const std::array<StageInfo, stage_count> stage_table;

inline const StageInfo& info(Stage stage) { return stage_table[index_of(stage)]; }

}  // namespace attnscope
