// app/results: the model that is held as B on its way through an engine of its own, and the comparison of
// what is shown with it. What is held of the screen is not run again.
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
  /// `wake` is called on a worker when there is news.
  explicit ModelComparison(std::function<void()> wake, SharedPool pool = {})
      : wake_(std::move(wake)), pool_(std::move(pool)) {}

  /// Null: nothing of a model is held.
  const HeldModel* held() const { return held_ ? &*held_ : nullptr; }

  /// The model of this Document is to be held, which an opened session said: its layer follows in
  /// take_layer().
  void expect(Document held, double age);
  bool is_expecting() const { return expected_.has_value(); }
  /// The Document that is, and how long ago it was held; null: none.
  const Document* expected() const { return expected_ ? &expected_->document : nullptr; }
  double expected_age() const { return expected_ ? expected_->age : 0; }
  void expect_nothing();
  /// What was expected once its block is known: a Document that can be computed, and since when it was held.
  /// Where it cannot be run `trouble` says why.
  struct Layer {
    Document document;
    double age = 0;
  };
  std::optional<Layer> take_layer(std::string& trouble);

  /// What is held now; null: nothing, or no layer of a model. `shown`: the reading on screen, which becomes
  /// B's where it is of the same run.
  void hold(const Document* held, double seconds, const ModelReadingPtr& shown);
  /// Compares what is shown with B, as far as it is wanted.
  struct Wanted {
    ModelReadingPtr shown;  // null: nothing is
    bool is_seen = false;
    int shift = 0;  // see DifferenceQuestion
  };
  void follow(const Wanted&);
  /// Whether nothing more comes.
  bool is_settled() const;
  /// Blocks until nothing is worked out. For tests and pictures without a window.
  void wait_idle() const;

  /// Stops what is being compared, until it is to go on or something else is asked.
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
  /// Made when a model is held for the first time: their threads cost nothing before.
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
  bool is_stopped_ = false;  // what was asked, by a person
};

}  // namespace attnscope
