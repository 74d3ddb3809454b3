// core/models: a transformer that was opened: its spec and its weights as their file stores them. Immutable
// and shared; an edit is never made here.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/weight_product.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

/// Weight and bias of a norm; both empty where a block has none.
struct NormWeights {
  std::vector<float> weight, bias;
  bool exists() const { return !weight.empty(); }
};

/// Where queries, keys and values stand in a row of what the maps make of a token: those of head h begin at
/// first
/// + h * stride.
struct HeadColumns {
  std::int64_t query = 0, key = 0, value = 0, stride = 0, width = 0;
};

struct AttentionWeights {
  std::vector<LinearMap> maps;  // side by side they fill the row: query, key, value, or one for the three
  HeadColumns columns;
  LinearMap output;
  NormWeights query_norm, key_norm;  // [d_k]
};

struct BlockWeights {
  NormWeights attention_norm, after_attention_norm, cross_norm, mlp_norm, after_mlp_norm;
  AttentionWeights attention;
  /// Attention to the encoder: one map makes queries of this stack's rows, the others keys and values of the
  /// encoder's, in a row of their own.
  LinearMap cross_query;
  AttentionWeights cross;
  std::optional<LinearMap> gate;
  LinearMap up, down;
};

struct StackWeights {
  std::vector<BlockWeights> blocks;
  NormWeights final_norm;
  std::vector<float> relative_bias;  // [buckets][heads], or empty
};

/// What stands between the last hidden state and the map that makes logits; nothing in most decoders.
struct HeadTransform {
  std::optional<LinearMap> dense;
  NormWeights norm;
};

struct Model {
  ModelSpec spec;
  std::filesystem::path path;  // of the folder or file
  StoredTensor token_table;    // [vocabulary][d_model]
  Tensor position_table;       // [positions][d_model]
  Tensor type_table;           // [token types][d_model]
  Tensor class_token;          // [1][d_model]
  LinearMap patches;           // [d_model][channels · patch · patch]
  NormWeights embedding_norm;
  StackWeights encoder, decoder;  // as spec has them
  HeadTransform head;
  LinearMap logits;  // [vocabulary or classes][d_model]
  std::optional<LinearMap> pooler;
  std::vector<std::string> used, ignored;  // names of tensors in the files
  std::vector<std::string> missing;        // tensors of the architecture's head that the files lack
  std::string note;  // a sentence on what was left out of the files and is no trifle, or empty
};

/// How many there are in the maps of all blocks and in that of the logits.
std::int64_t count_weights(const Model&);

using ModelPtr = std::shared_ptr<const Model>;

/// A Hugging Face folder: config.json and safetensors; or a GGUF file. Weights lie in the map of their file.
/// Throws Error with a sentence that names the file and the field or tensor, what was found and what was
/// expected.
ModelPtr open_model(const std::filesystem::path& path);

}  // namespace attnscope
