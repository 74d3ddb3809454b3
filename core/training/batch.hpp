// core/training: sequences that go through the network together, cut into chunks: the unit of work of a
// thread. How they are cut depends on the recipe alone, so no number ever depends on the threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/training/network/pass.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope::training {

/// Which numbers a sequence is made of: those of training never meet those that are measured on.
enum class DataStream : std::uint64_t { Training = 1, Measured = 2 };

class Batch {
 public:
  Batch(const NetworkSpec&, int sequences, int sequences_of_chunk);

  /// Writes sequence number i of the batch as number `index` of the stream.
  void make(const Maker&, std::uint64_t seed, DataStream, std::uint64_t index, int i, Notes* notes = nullptr);
  /// Behind the last make(): what the read-outs of each chunk are asked.
  void gather();

  int sequences() const { return sequences_; }
  int length() const { return length_; }
  int chunks() const { return chunks_; }
  int first_sequence(int chunk) const { return chunk * of_chunk_; }
  Rows rows(int chunk) const;
  Rows sequence(int i) const { return rows_of(i, 1); }
  /// Rows count from the first of the chunk.
  Targets targets(int chunk, std::size_t read_out) const;
  /// Whether any read-out is asked something at a row.
  bool is_asked(int sequence, int row) const;
  /// Of all chunks.
  std::int64_t target_count(std::size_t read_out) const { return std::ssize(asked_[read_out].rows); }

 private:
  struct Asked {
    std::vector<std::int32_t> rows, classes;
    std::vector<std::size_t> begin;  // [chunks + 1]
  };
  Rows rows_of(int first, int count) const;
  int sequences_, length_, of_chunk_, chunks_, patch_numbers_;
  std::size_t read_outs_;
  std::vector<std::int32_t> tokens_;
  std::vector<float> patches_;
  std::array<std::vector<std::int32_t>, most_read_outs> targets_;
  std::array<Asked, most_read_outs> asked_;
};

/// Sequences of a chunk: enough rows to make products of them, few enough chunks for their gradients to be
/// summed in no time.
int sequences_of_chunk(const NetworkSpec&, std::int64_t weights, int batch);

}  // namespace attnscope::training
