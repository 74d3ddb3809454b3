// core/readouts: the residual stream of a run as the sum of its parts: embedding, every head, every bias,
// every MLP. Each part is seen through a linear map, so that none is ever stored whole.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// One part of the sum.
struct StreamPart {
  enum class Kind : std::uint8_t {
    Embedding,      // of the token (with its type, and with its position if the two cannot be separated)
    Position,       // learned
    Head,           // α·V·W_O of one head
    AttentionBias,  // b_O (and the bias of a norm behind attention)
    CrossHead,      // of attention to the encoder
    CrossBias,
    Mlp,       // with its bias
    Centring,  // what LayerNorm subtracts: the mean of the row
    NormBias,  // of the norm that reads the stream
    Bias,      // of the map behind that norm
  };
  Kind kind = Kind::Embedding;
  int block = -1, head = -1;  // where there is one
  bool operator==(const StreamPart&) const = default;
};
/// "embedding", "head 3.5", "MLP 2", ….
std::string name_of(const StreamPart&);

/// The input of block `block` of a stack (`block` = number of blocks: the last one's output).
struct StreamAt {
  const Model& model;
  const ModelRun& run;
  AttentionOf of;  // Encoder or Decoder
  std::size_t block;
};

/// Throws Error if the stream is not a sum: if a norm follows every sum (post-norm), or if the residual is
/// taken behind the norm.
void check_is_sum(const StackSpec&, const std::string& family);

/// In the order of project_stream(): the embedding, then for each block heads, bias, cross heads and their
/// bias, MLP.
std::vector<StreamPart> parts_of_stream(const StreamAt&);

/// Calls visit(part, row, map · x) for every part x of rows [begin, end) of the stream, in double; map
/// [k][d_model]. The parts of a row sum to map · stream: an MLP's part is what its block added minus the
/// block's other parts. Throws Error as above, or Cancelled.
using VisitPart = std::function<void(std::size_t part, std::int64_t row, std::span<const double> value)>;
void project_stream(const StreamAt&, const TensorOf<double>& map, std::int64_t begin, std::int64_t end,
                    const VisitPart& visit, const Work&);

/// ‖x‖ of every row of the stream at the input of each block and behind the last, [rows][blocks + 1], summed
/// in double. For any stack that has run. Throws Cancelled.
Tensor stream_norms(const StackRun&, const Work&);

/// What the attention of a block adds to rows [begin, end) of the stream, [rows][d_model], computed again.
/// Throws Cancelled.
Tensor attention_addition(const Model&, const ModelRun&, AttentionOf of, std::size_t block,
                          std::int64_t begin, std::int64_t end, const Work&);

}  // namespace attnscope
