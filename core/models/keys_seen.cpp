#include "core/models/keys_seen.hpp"

#include <algorithm>
#include <cmath>

#include "core/models/apply_changes.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/staged_attention.hpp"

namespace attnscope {

const std::vector<AttentionRun>& attention_of(const ModelRun& run, AttentionOf of) {
  switch (of) {
    case AttentionOf::Encoder: return run.encoder.attention;
    case AttentionOf::Cross: return run.decoder.cross;
    case AttentionOf::Decoder: break;
  }
  return run.decoder.attention;
}

std::int64_t rows_of(const ModelRun& run, AttentionOf of) {
  const StackRun& stack = of == AttentionOf::Encoder ? run.encoder : run.decoder;
  return stack.hidden.empty() ? 0 : stack.hidden.front().rows();
}

const StagedAttention* staged_in(const ModelRun& run, AttentionOf of, std::size_t block) {
  if (of == AttentionOf::Cross) return nullptr;
  const std::vector<AttentionRun>& blocks = attention_of(run, of);
  return block < blocks.size() ? blocks[block].staged.get() : nullptr;
}

KeysSeen keys_seen(const ModelSpec& spec, const ModelRun& run, AttentionOf of, int block) {
  const auto index = static_cast<std::size_t>(block);
  if (const StagedAttention* const staged = staged_in(run, of, index))
    return {.left = staged->left, .right = staged->right, .keys = rows_of(run, of)};
  AttentionProblem p;
  if (of != AttentionOf::Cross) {
    const std::vector<AttentionRun>& blocks = attention_of(run, of);
    const StackSpec& stack = spec.stack(of);
    set_window(index < blocks.size() ? layer_of(stack, blocks[index], index) : stack.blocks[index], p);
  }
  change_problem(run.changes, of, index, p);
  return {.left = p.left,
          .right = p.causal ? 0 : p.right,
          .keys = rows_of(run, of == AttentionOf::Cross ? AttentionOf::Encoder : of)};
}

HeadMask::HeadMask(const ModelSpec& spec, const ModelRun& run, AttentionOf of, int block)
    : band_(keys_seen(spec, run, of, block)), queries_(rows_of(run, of)) {
  const auto index = static_cast<std::size_t>(block);
  staged_ = staged_in(run, of, index);
  if (const std::vector<AttentionRun>& blocks = attention_of(run, of); index < blocks.size())
    pictures_ = &blocks[index].pictures;
  if (staged_ != nullptr) {
    heads_ = staged_->allowed_heads;
    return;
  }
  const std::span<const std::uint8_t> mask = key_mask(spec, run, of);
  if (std::ranges::find(mask, 0) == mask.end()) return;
  before_.resize(static_cast<std::size_t>(band_.keys) + 1);
  for (std::size_t j = 0; j + 1 < before_.size(); ++j)
    before_[j + 1] = before_[j] + (j < mask.size() && mask[j] == 0 ? 0 : 1);
}

std::int64_t HeadMask::visible(std::int64_t first, std::int64_t last) const {
  if (last <= first) return 0;
  if (before_.empty()) return last - first;
  return before_[static_cast<std::size_t>(last)] - before_[static_cast<std::size_t>(first)];
}

std::span<const std::uint8_t> HeadMask::allowed_row(std::int64_t head, std::int64_t query) const {
  const auto keys = static_cast<std::size_t>(band_.keys);
  const std::int64_t row = (heads_ == 1 ? 0 : head) * queries_ + query;
  return std::span(staged_->allowed).subspan(static_cast<std::size_t>(row) * keys, keys);
}

void HeadMask::see(std::int64_t head, std::int64_t query, std::span<std::uint8_t> seen) const {
  if (staged_ != nullptr) {
    std::ranges::copy(allowed_row(head, query), seen.begin());
    return;
  }
  std::ranges::fill(seen, std::uint8_t{0});
  for (std::int64_t key = band_.first(query); key < band_.last(query); ++key)
    seen[static_cast<std::size_t>(key)] = visible(key, key + 1) > 0 ? 1 : 0;
}

void HeadMask::see_cells(std::int64_t head, std::int64_t row, std::span<std::uint8_t> seen) const {
  const PooledCells& cells = pictures_->cells;
  if (staged_ != nullptr) {
    const std::int64_t rows = pictures_->mean.shape()[1], first = (heads_ == 1 ? 0 : head) * rows + row;
    std::copy_n(pictures_->seen.begin() + first * std::ssize(seen), seen.size(), seen.begin());
    return;
  }
  std::ranges::fill(seen, std::uint8_t{0});
  // The bands of neighbouring queries make one band.
  const std::int64_t query = row * cells.rows_per_cell;
  const std::int64_t first = band_.first(query),
                     last = band_.last(std::min(queries_, query + cells.rows_per_cell) - 1);
  for (std::int64_t column = first / cells.keys_per_cell; column * cells.keys_per_cell < last; ++column) {
    const std::int64_t key = column * cells.keys_per_cell;
    seen[static_cast<std::size_t>(column)] =
        visible(std::max(first, key), std::min(last, key + cells.keys_per_cell)) > 0 ? 1 : 0;
  }
}

std::int64_t HeadMask::allowed_keys(std::int64_t head, std::int64_t query) const {
  if (staged_ == nullptr) return visible(band_.first(query), band_.last(query));
  return band_.keys - std::ranges::count(allowed_row(head, query), std::uint8_t{0});
}

void add_leaks(std::span<const float> weights, std::span<std::uint8_t> seen) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const float weight = weights[i];  // in a row of NaN, the hidden keys have it, too
    seen[i] |= static_cast<std::uint8_t>((weight != 0) & (weight == weight));
  }
}

std::vector<std::optional<double>> normalised_entropies(const Model& model, const ModelRun& run,
                                                        AttentionOf of, int block) {
  const auto index = static_cast<std::size_t>(block);
  const Tensor& entropy = attention_of(run, of)[index].entropy;
  const StackSpec& stack = model.spec.stack(of);
  std::vector<std::optional<double>> means(static_cast<std::size_t>(stack.blocks[index].heads));
  if (entropy.size() == 0) return means;
  const HeadMask mask(model.spec, run, of, block);
  const std::int64_t rows = std::min<std::int64_t>(entropy.shape()[1], rows_of(run, of));
  std::vector<std::int64_t> allowed(static_cast<std::size_t>(rows));
  std::vector<double> most(allowed.size());  // the entropy of a uniform row
  const auto values = entropy.matrix();
  for (std::size_t h = 0; h < means.size(); ++h) {
    for (std::size_t i = 0; (h == 0 || !mask.is_same_for_heads()) && i < most.size(); ++i) {
      allowed[i] = mask.allowed_keys(static_cast<std::int64_t>(h), static_cast<std::int64_t>(i));
      most[i] = std::log(static_cast<double>(allowed[i]));
    }
    double sum = 0;
    std::int64_t counted = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      if (allowed[static_cast<std::size_t>(i)] < 2) continue;
      sum += static_cast<double>(values(static_cast<std::int64_t>(h), i)) / most[static_cast<std::size_t>(i)];
      ++counted;
    }
    if (counted > 0) means[h] = sum / static_cast<double>(counted);
  }
  return means;
}

}  // namespace attnscope
