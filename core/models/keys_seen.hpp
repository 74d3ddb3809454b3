// core/models: which keys the queries of a run see, head by head, and the normalised entropy of its heads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// The attention runs of one kind; Cross has the rows of the decoder.
const std::vector<AttentionRun>& attention_of(const ModelRun&, AttentionOf);
std::int64_t rows_of(const ModelRun&, AttentionOf);
/// The weights of a block of self-attention whose settings are not swept, see is_swept(); else null.
const StagedAttention* staged_in(const ModelRun&, AttentionOf, std::size_t block);

/// The keys that the queries of a block see, before the input's mask.
struct KeysSeen {
  std::int64_t left = -1, right = -1;  // query - left <= key <= query + right; -1 = open
  std::int64_t keys = 0;
  std::int64_t first(std::int64_t query) const {
    return left < 0 ? 0 : std::max<std::int64_t>(0, query - left);
  }
  std::int64_t last(std::int64_t query) const {
    return right < 0 ? keys : std::min(keys, query + right + 1);
  }  // one past the last
};
/// With the changes of the run. Of a block whose settings are not swept: the narrowest band that has every
/// key that one of its heads sees, behind the input's mask.
KeysSeen keys_seen(const ModelSpec&, const ModelRun&, AttentionOf, int block);

/// Which keys the heads of a block may see, with the changes of the run: the causal rule and the window, the
/// input's mask, and of a block whose settings are not swept what its mask allows. Keeps a reference to the
/// run.
class HeadMask {
 public:
  HeadMask(const ModelSpec&, const ModelRun&, AttentionOf, int block);

  /// Whether all heads see the same keys.
  bool is_same_for_heads() const { return heads_ == 1; }
  /// seen[key] = 1 where a query of the head may see the key, else 0; [keys].
  void see(std::int64_t head, std::int64_t query, std::span<std::uint8_t> seen) const;
  /// The same for a row of the head's picture in the run: 1 where one of the cell's queries may see one of
  /// its keys.
  void see_cells(std::int64_t head, std::int64_t row, std::span<std::uint8_t> seen) const;
  /// How many keys a query of the head may see.
  std::int64_t allowed_keys(std::int64_t head, std::int64_t query) const;

 private:
  /// Keys [first, last) of the band that the input's mask does not hide.
  std::int64_t visible(std::int64_t first, std::int64_t last) const;
  std::span<const std::uint8_t> allowed_row(std::int64_t head, std::int64_t query) const;

  KeysSeen band_;
  std::int64_t queries_, heads_ = 1;  // heads_: 1 = one mask for all
  const HeadPictures* pictures_ = nullptr;
  const StagedAttention* staged_ = nullptr;  // null: the band and the input's mask say all
  std::vector<std::int64_t> before_;         // visible keys before each key; empty = the input hides none
};

/// Marks hidden keys that have a weight as seen: with -1e9 in place of -inf, or with a frozen pattern, a key
/// that the mask hides can have one, which a picture must show.
void add_leaks(std::span<const float> weights, std::span<std::uint8_t> seen);

/// For each head of a block: the mean of H / ln(allowed keys) over rows that see at least two keys. Nothing
/// if there is no such row, or if the run has no entropies.
std::vector<std::optional<double>> normalised_entropies(const Model&, const ModelRun&, AttentionOf,
                                                        int block);

}  // namespace attnscope
