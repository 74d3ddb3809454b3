// app/workspace: B, what is held to compare with: taken from the screen, or computed of the Document that a
// session, a step of a lesson or undo brings; and the model that it stands in.
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
  /// `looked_at`: the head of B that is looked at beside the chosen one, which the view keeps; -1: the same.
  Held(Workspace& space, std::function<std::int64_t&()> looked_at)
      : space_(space), model_b_(space.wake, space.backends.pool()), looked_at_(std::move(looked_at)) {}

  /// B; empty: nothing is held.
  const std::optional<HeldSight>& sight() const { return comparison_.held(); }
  ResultPtr result() const { return comparison_.result(); }
  /// B where it can stand beside what is shown; null else.
  const HeldSight* beside(const ResultPtr& shown) const { return comparison_.beside(shown); }
  /// How long it has been held, in seconds of the same clock; 0 when nothing is.
  double age(double seconds) const { return comparison_.age(seconds); }
  /// What is B, or will be once it is computed; null: nothing.
  const Document* document() const { return comparison_.document(); }
  /// The model that B stands in, and how far what is shown is from it; null where there is none.
  const HeldModel* model() const { return model_b_.held(); }
  /// What is held, or will be once it is computed. Of a model what is said of it.
  std::optional<HeldThen> now() const;
  bool is_expecting() const { return comparison_.is_expecting() || model_b_.is_expecting(); }
  /// Whether not even a first look at what is expected is there.
  bool is_waiting() const { return comparison_.is_waiting(space_.engine); }
  bool is_settled() const;
  /// Blocks until the models are compared.
  void wait_for_model() const;
  /// How often A and B have changed places.
  std::size_t swaps() const { return swaps_; }

  /// What is on screen becomes B; B and it change places; nothing is held any more, which one undo takes
  /// back.
  void hold();
  void swap();
  void release();
  /// Nothing is held any more; no step of undo.
  void drop();

  /// A layer of a model is computed when the model has run; of one that has moved nothing is, until it is
  /// opened.
  void expect(Document held, double age);
  /// A Document that stands in no model.
  void expect_layer(Document held) { comparison_.expect(std::move(held), space_.engine, 0); }
  /// What was to become B does not.
  void expect_nothing();
  /// Of a step that was gone back to: it is computed again, and becomes B once it is there.
  void bring_back(const HeldThenPtr&);
  /// Whether the model that was opened is the one that a session's B waits for: it is held then, and what is
  /// shown stays.
  bool take_moved(const Document& opened);

  /// What was expected and is there becomes B. Once a frame.
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
  std::optional<HeldArrival> asks_for_held_;  // B of a model that has moved: until it is opened
  OriginPtr held_origin_;                     // of B, where it was held here
  std::size_t swaps_ = 0;
};

}  // namespace attnscope
