// app/training: the sequence that heads are shown on, with a label for each of its tokens and the keys that
// the task's scores are about; and samples of what a task trains on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/training/trainer.hpp"

namespace attnscope {

struct ProbeText {
  std::vector<std::int32_t> tokens;
  std::vector<std::string> labels;  // of the tokens; empty where patches come in
  /// What a model that is opened reads in their place: names of its tokens, without the one that begins a
  /// sequence.
  std::string words;
  struct Look {  // a query that a score of the task is about, and the keys that it should look at
    int score = 0;
    std::int64_t query = 0;
    std::vector<std::int64_t> keys;
  };
  std::vector<Look> looks;
  std::int64_t fold = 0;  // the row where the sequence begins to repeat; 0: it does not

  std::int64_t rows() const { return std::ssize(labels); }
  /// The look that pictures and sentences are about: one in the middle of those with that score, at the row
  /// where there is one. Null: it has none.
  const Look* look_of(int score, std::int64_t row = -1) const;
  /// The label of a row; its number where patches come in.
  std::string label(std::int64_t row) const;
};

/// A sequence that a run trains on.
struct TaskSample {
  std::vector<std::string> reads;  // labels of its tokens
  std::vector<std::string> says;   // answers, row by row, "" where none is asked; empty: the next tokens
  /// Of the answers where there are such, else of the tokens: whether it counts as an answer of the goal's
  /// group.
  std::vector<std::uint8_t> counts;
};

/// What a task's pictures need besides its measurements.
struct ProbeFacts {
  ProbeText own;       // a short sequence that is made for the picture; without rows: the task has none
  ProbeText measured;  // the first measured sequence, the one of LabMoment::probe
  std::vector<TaskSample> samples;  // none where patches come in
};
ProbeFacts probe_facts(const training::Trainer&);

/// A label for each of a tokenizer's names. Tokens without a meaning ("t3") become letters, and the one that
/// begins a sequence a dot: single letters stand beside small pictures.
std::vector<std::string> token_labels(const std::vector<std::string>& names);

}  // namespace attnscope
