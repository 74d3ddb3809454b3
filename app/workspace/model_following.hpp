// app/workspace: the model that the Document on screen stands in, on its way through its engine: what was
// submitted last, which reading is shown, and how a block of it becomes the layer on screen and what is
// changed there a change inside the model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/document/document.hpp"
#include "core/engine/model/model_engine.hpp"

namespace attnscope {

class ModelFollowing {
 public:
  /// `wake` is called on a worker when there is news.
  ModelFollowing(std::function<void()> wake, SharedPool pool) : engine_(std::move(wake), std::move(pool)) {}

  /// Submits what the Document says of its model if it differs from what was submitted last; a lone layer:
  /// the model is let go.
  void follow(const Document&, const ModelWants&);
  /// What runs models from here on: what is on screen is run anew. Empty: the CPU.
  void compute_with(const MakeRowOperators& make) {
    engine_.compute_with(make);
    submitted_.reset();
  }
  /// What was stopped is submitted again when follow() is called next: it goes on with what is not known yet.
  void go_on() { submitted_.reset(); }
  /// The newest reading of what was submitted last, or on the way to it, if it was not seen yet; null else.
  ModelReadingPtr news();
  /// The newest good one that news() gave where it is of the model that the Document stands in; null else.
  const ModelReading* shown_of(const Document& document) const { return reading_of(document).get(); }
  /// The same, shared.
  ModelReadingPtr reading_of(const Document&) const;
  /// Whether the last word on this Document's heads and prediction was seen, not counting what comes later.
  bool is_up_to_date(const Document&) const;
  /// The same with lens, scores and effects, or as far as they came when a person stopped them.
  bool is_complete() const;
  ModelEngine& engine() { return engine_; }
  const ModelEngine& engine() const { return engine_; }

  /// The Document with the block of the shown reading as its layer, changed as the Document says. As it is
  /// where the reading is of another model or block.
  Document placed(Document) const;
  /// The Document was edited since `before`, both of the shown reading's block: what was done to the layer
  /// becomes a change inside the model, and the other way. False: it cannot be said there, and the layer
  /// stands by itself now.
  bool settle(const Document& before, Document& document) const;

 private:
  bool is_of_shown(const ModelContext&) const;

  ModelEngine engine_;
  std::optional<ModelContext> submitted_;
  ModelWants wants_;
  std::uint64_t ticket_ = 0;                        // of it
  std::pair<std::uint64_t, std::uint64_t> seen_{};  // ticket, refinement
  ModelReadingPtr seen_reading_, shown_;            // the last one seen, good or not; the last good one
};

}  // namespace attnscope
