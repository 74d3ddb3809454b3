// app/results: runs the model that is held as B through an engine of its own, and compares the model on
// screen with it. A model that is held from the screen is not run again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/results/held_model.hpp"
#include "core/engine/model/model_engine.hpp"

namespace attnscope {

class ModelComparison {
 public:
  /// `wake` is called on a worker's thread when a result has arrived.
  explicit ModelComparison(std::function<void()> wake, SharedPool pool = {})
      : wake_(std::move(wake)), pool_(std::move(pool)) {}

  /// Null: no model is held.
  const HeldModel* held() const { return held_ ? &*held_ : nullptr; }

  /// An opened session holds the model of this Document. It is run, and take_layer() returns its layer.
  void expect(Document held, double age);
  bool is_expecting() const { return expected_.has_value(); }
  /// The Document that is expected, and how long ago it was held; null: none.
  const Document* expected() const { return expected_ ? &expected_->document : nullptr; }
  double expected_age() const { return expected_ ? expected_->age : 0; }
  void expect_nothing();
  /// The layer of the expected model once its block is known: a Document that can be computed, and its age.
  /// If it cannot be run, `trouble` tells why.
  struct Layer {
    Document document;
    double age = 0;
  };
  std::optional<Layer> take_layer(std::string& trouble);

  /// Sets what is held; null: nothing, or no layer of a model. `shown`: the reading on screen; it becomes B's
  /// if it is of the same run.
  void hold(const Document* held, double seconds, const ModelReadingPtr& shown);
  /// The comparison that the screen needs.
  struct Wanted {
    ModelReadingPtr shown;  // null: nothing is
    bool is_seen = false;
    int shift = 0;  // see DifferenceQuestion
  };
  void follow(const Wanted&);
  /// Whether no more results are expected.
  bool is_settled() const;
  /// Blocks until all is computed. For tests and for pictures without a window.
  void wait_idle() const;

  /// Stops the comparison until go_on() or another question.
  void cancel();
  void go_on();

 private:
  void let_go();
  void take_news();

  struct Expected {
    Document document;
    double age = 0;
    std::uint64_t ticket = 0;
  };
  /// Created when a model is held for the first time: before, their threads would only cost.
  struct Engines {
    Engines(const std::function<void()>& wake, const SharedPool& pool)
        : b(wake, pool), differences(wake, pool) {}
    ModelEngine b;
    ModelDifferences differences;
  };
  Engines& engines();

  std::function<void()> wake_;
  SharedPool pool_;
  std::unique_ptr<Engines> engines_;
  std::optional<HeldModel> held_;
  std::optional<Expected> expected_;
  std::optional<DifferenceQuestion> asked_;
  bool is_stopped_ = false;  // a person stopped the comparison
};

}  // namespace attnscope
