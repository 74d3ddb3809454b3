// core/models: an opened transformer: its spec, and its weights as stored in the file. Immutable and shared;
// edits never change it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/weight_product.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

class ModelFiles;

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
  HeadColumns columns;
  LinearMap output;
  NormWeights query_norm, key_norm;  // [d_k]
};

struct BlockWeights {
  NormWeights attention_norm, after_attention_norm, cross_norm, mlp_norm, after_mlp_norm;
  AttentionWeights attention;
  /// Cross-attention: `cross_query` makes queries from this stack's rows; the maps of `cross` make keys and
  /// values from the encoder's rows, in rows of their own.
  LinearMap cross_query;
  AttentionWeights cross;
  std::optional<LinearMap> gate;
  LinearMap up, down;
};

struct StackWeights {
  std::vector<BlockWeights> blocks;
  NormWeights final_norm;
  TensorPtr bias_table;  // of positions that are added to scores: [table_rows()][heads], or null
};

/// The layers between the last hidden state and the map to logits; most decoders have none.
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
  StackWeights encoder, decoder;  // if spec has them
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

/// Opens a Hugging Face folder (config.json and safetensors) or a GGUF file. Weights stay in the file's map.
/// Throws Error naming the file and the field or tensor, what was found and what was expected.
ModelPtr open_model(const std::filesystem::path& path);
/// The same for files of model_path(), which what else is read of the model can then use.
ModelPtr open_model(ModelFiles& files);

}  // namespace attnscope
