// app/workspace: B, what is held to compare what is shown with: taken from the screen, or computed of the
// Document that an opened session held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/scene/held.hpp"
#include "core/engine/live_engine.hpp"

namespace attnscope {

/// What a session held, a layer of a model that has not been run yet.
struct HeldArrival {
  Document document;
  double age = 0;
};

class Comparison {
 public:
  /// Empty: nothing is held.
  const std::optional<HeldSight>& held() const { return held_; }
  ResultPtr result() const { return held_ ? held_->result : nullptr; }
  /// B where it can stand beside what is shown: when both are long, or neither.
  const HeldSight* beside(const ResultPtr& shown) const;
  /// How long it has been held, in seconds of the same clock; 0 when nothing is.
  double age(double seconds) const { return held_ ? seconds - held_->seconds : 0; }
  /// What is B, or will be once it is computed, and since when; null: nothing.
  const Document* document() const;
  double since(double seconds) const { return seconds - (expected_ ? expected_->age : age(seconds)); }

  /// What is shown becomes B as well.
  void hold(const ResultPtr& shown, BackgroundErrors& errors, const Backends& backends, double seconds);
  /// A and B change places; something must be held.
  void swap(Sight& shown, const Backends& backends, double seconds);
  /// Nothing is held any more, nor will be.
  void clear(LiveEngine& engine);

  /// This Document is going to be B, in place of what was expected before; it was held so long ago.
  void expect(Document document, LiveEngine& engine, double age);
  void expect_nothing(LiveEngine& engine);
  bool is_expecting() const { return expected_.has_value(); }
  /// Whether not even a first look at what is expected is there.
  bool is_waiting(const LiveEngine& engine) const;
  /// Takes what was expected once it is complete: true when it became B. Where it cannot be computed
  /// `trouble` says why.
  bool take(LiveEngine& engine, BackgroundErrors& errors, const Backends& backends, double seconds,
            std::string& trouble);

 private:
  struct Expected {
    Document document;
    std::uint64_t ticket = 0;
    double age = 0;
  };
  std::optional<HeldSight> held_;
  std::optional<Expected> expected_;
};

}  // namespace attnscope
