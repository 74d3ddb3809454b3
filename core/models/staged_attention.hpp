// core/models: the self-attention of a block with other settings than the model's (BlockChange::attention).
// Those that the streaming kernels do not have are computed by the stages of a layer, which keep every
// weight: whatever a lone layer can do a block of a model can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/models/model.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

/// All heads of one block over all rows of a text. Immutable; independent of the run.
struct StagedAttention {
  TensorPtr weights;  // [1][heads][queries][keys], before dropout; linear attention: those that it implies
  TensorPtr output;   // [1][heads][queries][d_k], before W_O
  std::vector<std::uint8_t> allowed;  // [1 or heads][queries][keys]: 0 hides the key
  std::int64_t allowed_heads = 1;
  /// The narrowest band query - left <= key <= query + right that has every key that a head may see or gives
  /// a weight.
  std::int64_t left = 0, right = 0;
};

/// A block of a stack, and what is changed in it.
struct ChangedBlock {
  const StackSpec& spec;
  const StackWeights& weights;
  std::size_t index;
  const BlockChange& change;  // with settings of its own
};

/// The block's layer with the settings of the change, which has some.
std::shared_ptr<const LayerSpec> changed_layer(const LayerSpec& own, const BlockChange&);
/// Whether the streaming kernels compute the layer's attention, else its stages.
bool is_swept(const LayerSpec&);
/// The positions that a changed block with rotary ones rotates these rows by: the model's, if it rotates;
/// else the rows' numbers, since learned positions may begin elsewhere (RoBERTa's at 2). `positions`: the
/// model's, of these rows, or none. Throws Error if learned ones do not follow each other.
std::vector<std::int64_t> rotary_positions(const ChangedBlock&, std::span<const std::int64_t> positions,
                                           const RowRange& rows);

/// Queries, keys and values of all rows as the block's maps make them; queries and keys are replaced by those
/// behind QK-norm and rotary positions. `positions`: of the rows; `mask`: the input's, for the keys. Throws
/// Error naming the block if the text has too many weights to keep, if the model's block cannot have the
/// settings, or if rotary positions would not count from 0; or Cancelled.
std::shared_ptr<const StagedAttention> stage_attention(const ChangedBlock&,
                                                       std::span<const std::int64_t> positions,
                                                       std::span<const std::uint8_t> mask, KeptRows& rows,
                                                       const Work&);

/// −∞ at keys that the input's mask hides, [1][1][queries][keys]; null if it hides none.
TensorPtr hidden_keys(std::span<const std::uint8_t> mask, std::int64_t queries);
/// Gives a layer the settings of a block's attention: scale, temperature, and those of attention_only(), each
/// the change's or, without any, that of `own`; then the mask's switches: one that is off has no pattern,
/// no mistake and no painted cells either. A painted mask is fitted to the text: what it hides beyond
/// `queries` and `keys` is left out, and cells beyond it are not hidden. `hidden`: hidden_keys() of the
/// input.
void put_attention(const BlockChange&, const LayerSpec& own, std::int64_t queries, std::int64_t keys,
                   const TensorPtr& hidden, LayerSpec&);

/// Gives a layer the weights that its settings of attention read besides the maps: of QK-norm, and the table
/// of the position bias.
void put_tables(const StackWeights&, std::size_t block, LayerSpec&);

/// What a sweep of these rows would give, except log-sum-exp and strongest keys.
Sweep sweep_of(const StagedAttention&, const SweepRequest&, const Work&);

/// Which cells of a picture the mask leaves at least partly: [allowed_heads][rows][columns], 0 where it hides
/// the whole cell.
std::vector<std::uint8_t> seen_cells(const StagedAttention&, const PooledCells&);

/// The first token that does not stand at its place, counted from `first`; nothing if all do or none is
/// given.
std::optional<std::size_t> first_out_of_place(std::span<const std::int64_t> positions,
                                              std::int64_t first = 0);

/// Throws Error naming the block and the setting that it cannot have.
void check_attention(const BlockChange&, const StackSpec&);

}  // namespace attnscope
