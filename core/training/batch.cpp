#include "core/training/batch.hpp"

#include <algorithm>

namespace attnscope::training {

Batch::Batch(const NetworkSpec& spec, int sequences, int sequences_of_chunk)
    : sequences_(sequences),
      length_(spec.length),
      of_chunk_(std::min(sequences, sequences_of_chunk)),
      chunks_((sequences + of_chunk_ - 1) / of_chunk_),
      patch_numbers_(spec.reads_patches() ? (spec.length - 1) * spec.patch : 0),
      read_outs_(spec.read_outs.size()) {
  const auto rows = static_cast<std::size_t>(sequences) * static_cast<std::size_t>(spec.length);
  if (spec.reads_patches())
    patches_.resize(static_cast<std::size_t>(sequences) * static_cast<std::size_t>(patch_numbers_));
  else
    tokens_.resize(rows);
  for (std::size_t r = 0; r < read_outs_; ++r) {
    targets_[r].resize(rows);
    asked_[r].rows.reserve(rows);
    asked_[r].classes.reserve(rows);
    asked_[r].begin.resize(static_cast<std::size_t>(chunks_) + 1);
  }
}

void Batch::make(const Maker& maker, std::uint64_t seed, DataStream stream, std::uint64_t index, int i,
                 Notes* notes) {
  const auto length = static_cast<std::size_t>(length_), at = static_cast<std::size_t>(i) * length;
  Example example;
  if (tokens_.empty()) {
    const auto width = static_cast<std::size_t>(patch_numbers_);
    example.patches = std::span(patches_).subspan(static_cast<std::size_t>(i) * width, width);
    std::ranges::fill(example.patches, 0.0f);
  } else {
    example.tokens = std::span(tokens_).subspan(at, length);
    std::ranges::fill(example.tokens, 0);
  }
  for (std::size_t r = 0; r < read_outs_; ++r) {
    example.targets[r] = std::span(targets_[r]).subspan(at, length);
    std::ranges::fill(example.targets[r], ignored);
  }
  example.notes = notes;
  example.is_test = stream == DataStream::Measured;
  if (notes != nullptr) notes->clear();
  Dice dice(seed, static_cast<std::uint64_t>(stream), index);
  maker.make(dice, example);
}

void Batch::gather() {
  for (std::size_t r = 0; r < read_outs_; ++r) {
    Asked& asked = asked_[r];
    asked.rows.clear();
    asked.classes.clear();
    const int rows_of_chunk = of_chunk_ * length_;
    for (int row = 0; row < sequences_ * length_; ++row) {
      if (row % rows_of_chunk == 0)
        asked.begin[static_cast<std::size_t>(row / rows_of_chunk)] = asked.rows.size();
      const std::int32_t target = targets_[r][static_cast<std::size_t>(row)];
      if (target == ignored) continue;
      asked.rows.push_back(row % rows_of_chunk);
      asked.classes.push_back(target);
    }
    asked.begin.back() = asked.rows.size();
  }
}

Rows Batch::rows(int chunk) const {
  const int first = first_sequence(chunk);
  return rows_of(first, std::min(of_chunk_, sequences_ - first));
}

Rows Batch::rows_of(int first, int count) const {
  return {tokens_.empty() ? nullptr : tokens_.data() + static_cast<std::ptrdiff_t>(first) * length_,
          tokens_.empty() ? patches_.data() + static_cast<std::ptrdiff_t>(first) * patch_numbers_ : nullptr,
          count, length_};
}

Targets Batch::targets(int chunk, std::size_t read_out) const {
  const Asked& asked = asked_[read_out];
  const std::size_t begin = asked.begin[static_cast<std::size_t>(chunk)],
                    end = asked.begin[static_cast<std::size_t>(chunk) + 1];
  return {std::span(asked.rows).subspan(begin, end - begin),
          std::span(asked.classes).subspan(begin, end - begin),
          asked.rows.empty() ? 0.0 : 1.0 / static_cast<double>(asked.rows.size())};
}

bool Batch::is_asked(int sequence, int row) const {
  const auto at =
      static_cast<std::size_t>(sequence) * static_cast<std::size_t>(length_) + static_cast<std::size_t>(row);
  return std::ranges::any_of(
      std::span(targets_).first(read_outs_),
      [at](const std::vector<std::int32_t>& targets) { return targets[at] != ignored; });
}

int sequences_of_chunk(const NetworkSpec& spec, std::int64_t weights, int batch) {
  constexpr int least_rows = 96, most_chunks = 16, chunks_of_many_weights = 8;
  constexpr std::int64_t many_weights = 100'000;
  const int chunks = weights > many_weights ? chunks_of_many_weights : most_chunks;
  const int for_rows = (least_rows + spec.length - 1) / spec.length;
  return std::clamp(std::max(for_rows, (batch + chunks - 1) / chunks), 1, batch);
}

}  // namespace attnscope::training
