// app/results: runs the texts of a file through a model in the background: the scores of its heads on all of
// them, the effect of zeroing or patching each head, or the similarity of the texts.
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

/// The kind of measurement, in the order of the card.
enum class ManyTextsKind : std::uint8_t {
  Scores,      // of the heads
  Effects,     // of zeroing each head
  Patching,    // of each head, over pairs of texts
  Similarity,  // cosines of the texts
};

struct ManyTextsRequest {
  OpenedModelPtr model;
  std::filesystem::path file;  // one text per line; for patching a pair, see read_pair_list()
  ManyTextsKind kind = ManyTextsKind::Scores;
};

struct ManyTextsReading {
  TextList list;
  HeadSpreads heads;      // of Scores and Effects
  PatchSpreads patching;  // of Patching
  // Of Similarity:
  Similarity similar;
  std::vector<SentencePooling> pooling;
  bool pooled_by_folder = false;  // by modules.json of the model's folder
};
/// Without modules.json an encoder's texts are pooled by their mean, a decoder's by the last token. Throws
/// Error with a sentence, which names the line of a faulty text; or Cancelled.
ManyTextsReading read_many_texts(const ManyTextsRequest&, TextsProgress&, const Work&);

/// Belongs to the interface's thread.
class ManyTexts {
 public:
  ManyTexts() = default;
  /// Stops the run and waits for it.
  ~ManyTexts();
  ManyTexts(const ManyTexts&) = delete;
  ManyTexts& operator=(const ManyTexts&) = delete;

  /// Stops the current run, drops the last result and starts a run.
  void begin(ManyTextsRequest, const SharedPool&);
  void stop();
  /// Call once a frame: what is finished by then is available, and nothing changes until the next call.
  void begin_frame() { is_seen_ = task_ && task_->is_done(); }
  /// True after the end, too, until begin_frame() has seen it.
  bool is_running() const { return task_ && !is_seen_; }
  /// The last request.
  const ManyTextsRequest& asked() const { return asked_; }
  /// Finished texts, and all texts; 0 of 0 before the file is read.
  std::int64_t done() const { return task_ ? task_->progress().done.load() : 0; }
  std::int64_t total() const { return task_ ? task_->progress().total.load() : 0; }
  /// Null until it is there.
  const ManyTextsReading* reading() const { return is_seen_ ? task_->result() : nullptr; }
  /// The reason for a missing result, once it is known: a sentence, or "Stopped."; else empty.
  std::string problem() const { return is_seen_ ? task_->error() : std::string(); }

 private:
  using Making = Task<ManyTextsReading, TextsProgress>;
  ManyTextsRequest asked_;
  std::shared_ptr<Making> task_;  // null: nothing was begun
  bool is_seen_ = false;          // begin_frame() has seen its end
  Worker worker_;                 // last: it is joined before the other members are destroyed
};

/// Whether a run goes on: draw another frame soon.
inline bool is_running(const std::shared_ptr<ManyTexts>& texts) { return texts && texts->is_running(); }

}  // namespace attnscope
