// core/models: one pass of a sequence through a model. Keeps the residual stream and the queries, keys and
// values of every block; weights are computed from them on demand. Rows that were computed before are kept:
// one more token costs one more row, with the same bits as computing all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/models/changes.hpp"
#include "core/models/model.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// One sequence, with the inputs of transformers.
struct ModelInput {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> positions;    // of each token; empty = the family's default
  std::vector<std::int64_t> types;        // of each token; empty = 0
  std::vector<std::uint8_t> mask;         // 0 hides a token from all queries; empty = none is hidden
  std::vector<std::int64_t> decoder_ids;  // for encoder-decoders
  Tensor image;                           // [channels][height][width], for models that take a picture
  bool operator==(const ModelInput&) const = default;
};

enum class LogitRows : std::uint8_t { None, Last, All };

struct RunRequest {
  LogitRows logits = LogitRows::All;
  bool entropy = false;  // of every row of every head
  bool received = false;
  int picture_side = 0;  // most cells in a row or column of each head's picture; 0 = no pictures
  ModelChanges changes = {};
};

/// Rows of floats; more rows can be added.
struct KeptRows {
  std::int64_t width = 0;
  std::vector<float> values;
  /// The first rows on the device, if operators other than the CPU's computed them (see
  /// RowOperators::keep()); or null.
  TensorPtr device = {};
  std::int64_t rows() const { return width == 0 ? 0 : std::ssize(values) / width; }
  float* row(std::int64_t i) { return values.data() + i * width; }
  const float* row(std::int64_t i) const { return values.data() + i * width; }
  void resize(std::int64_t rows) { values.resize(static_cast<std::size_t>(rows * width)); }
  bool operator==(const KeptRows& other) const { return width == other.width && values == other.values; }
};

/// The attention of every head in few cells; a cell pools several queries and keys.
struct HeadPictures {
  PooledCells cells;
  /// [heads][ceil(queries / rows_per_cell)][ceil(keys / keys_per_cell)] as in Sweep: the mean and the largest
  /// of a cell's weights. If a cell is a single weight, `largest` is empty.
  Tensor mean, largest;
  /// Of a block whose settings are not swept: [1 or heads][…][…] as above, 0 where its mask hides the whole
  /// cell. Else empty: see HeadMask.
  std::vector<std::uint8_t> seen = {};
  /// The last row of cells while tokens are added one by one: its first query, and the contributions of its
  /// rows.
  std::int64_t following_from = 0;
  KeptCellRows following;
};

struct StagedAttention;  // core/models/staged_attention.hpp

struct AttentionRun {
  KeptRows queries;  // [rows][…] as in HeadColumns; in cross-attention queries alone
  /// The settings of a block that is changed; null: the model's own, see layer_of().
  std::shared_ptr<const LayerSpec> layer;
  /// Its weights and outputs, if they do not follow from queries and keys; else null.
  std::shared_ptr<const StagedAttention> staged;
  KeptRows keys;    // cross-attention: keys and values of the encoder's rows; else empty
  Tensor entropy;   // [heads][rows] nats, if requested
  Tensor received;  // [heads][keys]
  HeadPictures pictures;
};

/// The settings that the self-attention of a block has in a run.
inline const LayerSpec& layer_of(const StackSpec& spec, const AttentionRun& run, std::size_t block) {
  return run.layer ? *run.layer : spec.blocks[block];
}

struct StackRun {
  std::vector<KeptRows> hidden;  // blocks + 1: the input of block i; the last is the output of the last block
  KeptRows normed;               // the last one behind the final norm, or a copy if there is none
  std::vector<AttentionRun> attention, cross;
};

struct ModelRun {
  ModelInput input;
  StackRun encoder, decoder;
  KeptRows logits;  // of all tokens, or of the last one
  std::vector<float> pooled;
  ModelChanges changes;  // of this run

  /// The stack that makes the model's output.
  const StackRun& last(const Model& model) const { return model.spec.decoder ? decoder : encoder; }
};

/// Throws Error if the input does not fit (no tokens, a token or position that the model does not have, an
/// image with another number of channels) or a change does not fit the model, or Cancelled. On the CPU, the
/// bits do not depend on the number of threads. Other operators (Work::device) run the blocks if they find
/// the model worth it; their results are copied to host memory as well.
ModelRun run_model(const Model&, ModelInput, const RunRequest&, const Work&);

/// Adds tokens to a run of a decoder that was made without a mask, with the same request: the same numbers as
/// running all at once, to the bit, except attention received, which is summed in another order, and earlier
/// rows under RopeScaling::Dynamic, which keep the angles of their own length, as in transformers' cache.
ModelRun run_more(const Model&, ModelRun before, std::span<const std::int64_t> ids, const RunRequest&,
                  const Work&);

/// The part of a run to keep: rows of a decoder without an encoder, or blocks of each stack with all their
/// rows.
struct KeptPart {
  std::int64_t rows = 0;
  std::size_t encoder_blocks = 0, decoder_blocks = 0;
};
/// Computes the rest of a run for its input, with the request's changes. The kept part must equal what a full
/// run would compute. Throws as run_model().
void run_rest(const Model&, ModelRun&, const KeptPart&, const RunRequest&, const Work&);

/// The attention weights of a head, [queries][keys]: its own, or its changed pattern.
Tensor head_weights(const Model&, const ModelRun&, AttentionOf, std::size_t block, std::int64_t head,
                    const Work&);

}  // namespace attnscope
