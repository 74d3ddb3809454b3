// app/workspace: B, held for comparison: taken from the screen, or computed from the Document of a session,
// of a lesson's step or of undo; and B's model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/results/model_comparison.hpp"
#include "app/workspace/comparison.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class Held {
 public:
  /// `looked_at`: the head of B that is compared with the chosen head, kept in the view; -1: the same head.
  Held(Workspace& space, std::function<std::int64_t&()> looked_at)
      : space_(space), model_b_(space.wake, space.backends.pool()), looked_at_(std::move(looked_at)) {}

  /// B; empty: nothing is held.
  const std::optional<HeldResult>& held_result() const { return comparison_.held(); }
  ResultPtr result() const { return comparison_.result(); }
  /// B if it can be compared with what is shown; else null.
  const HeldResult* beside(const ResultPtr& shown) const { return comparison_.beside(shown); }
  /// How long B has been held, in seconds of the same clock; 0 if nothing is held.
  double age(double seconds) const { return comparison_.age(seconds); }
  /// The Document of B, or of the expected B; null: neither.
  const Document* document() const { return comparison_.document(); }
  /// B's model, and its differences to the shown one; null if B is not in a model.
  const HeldModel* model() const { return model_b_.held(); }
  /// B or the expected B, as undo keeps it; for a model: what_is_said() of it.
  std::optional<HeldThen> now() const;
  bool is_expecting() const { return comparison_.is_expecting() || model_b_.is_expecting(); }
  /// Whether a B is expected and not even its first result has come.
  bool is_waiting() const { return comparison_.is_waiting(space_.engine); }
  bool is_settled() const;
  /// Blocks until the models are compared.
  void wait_for_model() const;
  /// How often A and B were swapped.
  std::size_t swaps() const { return swaps_; }

  /// hold(): what is on screen becomes B. swap(): A and B change places. release(): nothing is held; one undo
  /// brings B back.
  void hold();
  void swap();
  void release();
  /// As release(), but without a step of undo.
  void drop();

  /// Expects a B. A layer of a model is computed once the model has run; if the model's file has moved, once
  /// that is opened.
  void expect(Document held, double age);
  /// Expects a B that belongs to no model.
  void expect_layer(Document held) { comparison_.expect(std::move(held), space_.engine, 0); }
  /// Drops the expected B.
  void expect_nothing();
  /// Undo or redo reached a step: its B is computed again, and becomes B once it is complete. Null: nothing
  /// is held.
  void bring_back(const HeldThenPtr&);
  /// If the opened model is the one that a session's B waits for, expects that B and returns true; the shown
  /// Document stays.
  bool take_moved(const Document& opened);

  /// Once a frame: makes the expected B the held one when it is complete.
  void take_expected();
  /// Compares the models of A and B. `is_seen`: their comparison is on screen.
  void compare_models(bool is_seen, int shift);
  void cancel_difference() { model_b_.cancel(); }
  void resume_difference() { model_b_.go_on(); }

 private:
  bool can_be_held();
  void take_held_model();

  Workspace& space_;
  Comparison comparison_;
  ModelComparison model_b_;
  std::function<std::int64_t&()> looked_at_;
  std::optional<HeldArrival> asks_for_held_;  // B its model's file has moved: waits until that is opened
  OriginPtr held_origin_;                     // of B, if it was held in this window
  std::size_t swaps_ = 0;
};

}  // namespace attnscope
