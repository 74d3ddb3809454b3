// app/results: the texts of a file, run through a model behind the window: what its heads score on all of
// them, what zeroing or patching each does, or how alike the texts are to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/worker.hpp"
#include "core/models/opened/sentence_modules.hpp"
#include "core/readouts/over_texts/head_spread.hpp"
#include "core/readouts/over_texts/patch_spread.hpp"
#include "core/readouts/over_texts/similarity.hpp"

namespace attnscope {

/// What is measured, in the order of the card.
enum class ManyTextsKind : std::uint8_t {
  Scores,      // of the heads
  Effects,     // of zeroing each head
  Patching,    // of each head, over pairs of texts
  Similarity,  // cosines of the texts
};

struct ManyTextsRequest {
  OpenedModelPtr model;
  std::filesystem::path file;  // a text in each line; for patching a pair, see read_pair_list()
  ManyTextsKind kind = ManyTextsKind::Scores;
};

struct ManyTextsReading {
  TextList list;
  HeadSpreads heads;      // of Scores and Effects
  PatchSpreads patching;  // of Patching
  // Of Similarity:
  Similarity similar;
  std::vector<SentencePooling> pooling;
  bool pooled_by_folder = false;  // as modules.json of the model's folder says
};
/// Without modules.json an encoder's texts are pooled by their mean, a decoder's by the last token. Throws
/// Error with a sentence, with the line where a text is at fault; or Cancelled.
ManyTextsReading read_many_texts(const ManyTextsRequest&, TextsProgress&, const Work&);

/// Belongs to the interface's thread.
class ManyTexts {
 public:
  ManyTexts() = default;
  /// Stops what runs and waits for it.
  ~ManyTexts();
  ManyTexts(const ManyTexts&) = delete;
  ManyTexts& operator=(const ManyTexts&) = delete;

  /// Stops the run that goes on, drops the last result and begins another run.
  void begin(ManyTextsRequest, const SharedPool&);
  void stop();
  /// Once a frame: what is done by now is there from here on, and nothing changes before the next.
  void begin_frame() { is_seen_ = task_ && task_->is_done(); }
  /// Also after the end, until a frame has it.
  bool is_running() const { return task_ && !is_seen_; }
  /// What was begun last.
  const ManyTextsRequest& asked() const { return asked_; }
  /// Texts that are done, and all; 0 of 0 before the file is read.
  std::int64_t done() const { return task_ ? task_->progress().done.load() : 0; }
  std::int64_t total() const { return task_ ? task_->progress().total.load() : 0; }
  /// Null before it is there.
  const ManyTextsReading* reading() const { return is_seen_ ? task_->result() : nullptr; }
  /// Why there is nothing, once it is known: a sentence, or "Stopped."; else empty.
  std::string problem() const { return is_seen_ ? task_->error() : std::string(); }

 private:
  using Making = Task<ManyTextsReading, TextsProgress>;
  ManyTextsRequest asked_;
  std::shared_ptr<Making> task_;  // null: nothing was begun
  bool is_seen_ = false;          // a frame has its end
  Worker worker_;                 // last: joined before the rest goes
};

/// Whether there is one and it runs: draw again soon.
inline bool is_running(const std::shared_ptr<ManyTexts>& texts) { return texts && texts->is_running(); }

}  // namespace attnscope
