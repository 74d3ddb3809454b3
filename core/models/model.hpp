// core/models: an opened transformer: its spec, and its weights as stored in the file. Immutable and shared;
// edits never change it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/weight_product.hpp"
#include "core/models/experts.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

/// Weight and bias of a norm; both empty if the block has no such norm.
struct NormWeights {
  std::vector<float> weight, bias;
  bool exists() const { return !weight.empty(); }
};

/// The columns of queries, keys and values in a row of the maps' concatenated outputs: those of head h begin
/// at `query`, `key` or `value` + h · stride.
struct HeadColumns {
  std::int64_t query = 0, key = 0, value = 0, stride = 0, width = 0;
};

struct AttentionWeights {
  std::vector<LinearMap> maps;  // concatenated they fill the row: query, key, value, or one for all three
  std::vector<float> sinks;     // [heads] logits of a key without a value; empty = none
  HeadColumns columns;
  LinearMap output;
  NormWeights query_norm, key_norm;  // [d_k], or over all heads
  TensorPtr bias_table;              // of positions that are added to scores: [table_rows()][heads], or null
};

struct BlockWeights {
  NormWeights attention_norm, after_attention_norm, cross_norm, mlp_norm, after_mlp_norm;
  AttentionWeights attention;
  /// Cross-attention: `cross_query` makes queries from this stack's rows; the maps of `cross` make keys and
  /// values from the encoder's rows, in rows of their own.
  LinearMap cross_query;
  AttentionWeights cross;
  std::optional<LinearMap> gate;
  LinearMap up, down;                     // without weights if the MLP is a mixture
  std::optional<MixtureWeights> mixture;  // the MLP as a mixture of experts
};

/// Calls visit(map) for each map of the block.
void each_map(const BlockWeights&, const std::function<void(const LinearMap&)>& visit);

struct StackWeights {
  std::vector<BlockWeights> blocks;
  NormWeights final_norm;
};

/// The layers between the last hidden state and the map to logits; most decoders have none.
struct HeadTransform {
  std::optional<LinearMap> dense;
  NormWeights norm;
};

struct Model {
  ModelSpec spec;
  std::filesystem::path path;  // of the folder or file
  StoredTensor token_table;    // [vocabulary][embedding_width], which is d_model if it is 0; so the next
  Tensor position_table;       // [positions][d_model]
  Tensor type_table;           // [token types][d_model]
  Tensor class_token;          // [1][d_model]
  LinearMap patches;           // [d_model][channels · patch · patch]
  NormWeights embedding_norm;
  std::optional<LinearMap> embedding_map;  // [d_model][embedding_width], with a bias
  StackWeights encoder, decoder;           // if spec has them
  HeadTransform head;
  LinearMap logits;  // [vocabulary or classes][d_model]
  std::optional<LinearMap> pooler;
  std::vector<std::string> used, ignored;  // names of tensors in the files
  std::vector<std::string> missing;        // tensors of the architecture's head that the files lack
  std::string note;                        // a sentence on important parts that were left out, or empty
};

/// The number of weights in the maps of all blocks and in the map to logits.
std::int64_t count_weights(const Model&);

using ModelPtr = std::shared_ptr<const Model>;

}  // namespace attnscope
