// app/workspace: follows the model of the Document on screen through its engine: what was submitted last and
// which reading is shown. Makes a block of the model the layer on screen, and edits of that layer changes
// inside the model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "app/workspace/letting_go.hpp"
#include "core/document/document.hpp"
#include "core/engine/model/model_engine.hpp"

namespace attnscope {

class ModelFollowing {
 public:
  /// `wake` is called on a worker's thread after each new reading.
  ModelFollowing(std::function<void()> wake, SharedPool pool) : engine_(std::move(wake), std::move(pool)) {}

  /// Submits the Document's model context if it differs from the last one. A Document without a model
  /// releases the model.
  void follow(const Document&, const ModelWants&);
  /// Runs models with these row operators from now on, and the one on screen again. Empty: the CPU.
  void compute_with(const MakeRowOperators& make) {
    engine_.compute_with(make);
    submitted_.reset();
  }
  /// The next follow() submits a stopped run again: it goes on with what is unknown.
  void go_on() { submitted_.reset(); }
  /// The newest reading of the submitted model if it was not seen yet, also of an earlier submission; else
  /// null.
  ModelReadingPtr news();
  /// The newest reading without an error that news() returned, if it is of the Document's model; else null.
  const ModelReading* shown_of(const Document& document) const { return reading_of(document).get(); }
  /// The same, shared.
  ModelReadingPtr reading_of(const Document&) const;
  /// Whether a reading of this Document's heads and prediction was seen; lens, scores and effects may still
  /// come.
  bool is_up_to_date(const Document&) const;
  /// Whether the last submission's reading has all of lens, scores and effects, was stopped by the user, or
  /// failed.
  bool is_complete() const;
  ModelEngine& engine() { return engine_; }
  const ModelEngine& engine() const { return engine_; }

  /// The Document with the shown reading's block as its layer, the Document's changes applied. Unchanged if
  /// the reading is of another model or block.
  Document with_shown_block(Document) const;
  /// Translates what was edited since `before`, if both are of the shown reading's block: edits of the layer
  /// become changes inside the model, and changes of the model edits of the layer. If the model has no such
  /// change, the layer is taken out of the model, and a sentence says why; else the result is empty.
  std::string_view take_edits(const Document& before, Document& document) const;

 private:
  bool is_of_shown(const ModelContext&) const;

  ModelEngine engine_;
  std::optional<ModelContext> submitted_;
  ModelWants wants_;
  std::uint64_t ticket_ = 0;                        // of submitted_
  std::pair<std::uint64_t, std::uint64_t> seen_{};  // ticket, refinement
  ModelReadingPtr seen_reading_, shown_;            // the last one seen; the last one without an error
  LettingGo let_go_;                                // of earlier readings
};

}  // namespace attnscope
