// app/workspace: B, held for comparison with what is shown: taken from the screen, or computed from a
// Document that an opened session held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/scene/held.hpp"
#include "core/engine/live_engine.hpp"

namespace attnscope {

/// A session's B, a layer of a model that has not been run yet.
struct HeldArrival {
  Document document;
  double age = 0;
};

class Comparison {
 public:
  /// Empty: nothing is held.
  const std::optional<HeldResult>& held() const { return held_; }
  ResultPtr result() const { return held_ ? held_->result : nullptr; }
  /// B if it can be compared with what is shown: if both are long, or neither; else null.
  const HeldResult* beside(const ResultPtr& shown) const;
  /// How long B has been held, in seconds of the same clock; 0 if nothing is held.
  double age(double seconds) const { return held_ ? seconds - held_->seconds : 0; }
  /// The expected Document if there is one, else B's, and since when it is held; null: neither.
  const Document* document() const;
  double since(double seconds) const { return seconds - (expected_ ? expected_->age : age(seconds)); }

  /// What is shown becomes B as well.
  void hold(const ResultPtr& shown, BackgroundErrors& errors, const Backends& backends, double seconds);
  /// A and B change places; something must be held.
  void swap(ShownResult& shown, const Backends& backends, double seconds);
  /// Releases B and expects nothing.
  void clear(LiveEngine& engine);

  /// Computes a Document that then becomes B; it replaces an expected one. `age`: seconds since it was held.
  void expect(Document document, LiveEngine& engine, double age);
  void expect_nothing(LiveEngine& engine);
  bool is_expecting() const { return expected_.has_value(); }
  /// Whether a Document is expected and not even its first result has come.
  bool is_waiting(const LiveEngine& engine) const;
  /// Makes the expected result B once it is complete; true if it did. If it cannot be computed, `trouble`
  /// says why.
  bool take(LiveEngine& engine, BackgroundErrors& errors, const Backends& backends, double seconds,
            std::string& trouble);

 private:
  struct Expected {
    Document document;
    std::uint64_t ticket = 0;
    double age = 0;
  };
  std::optional<HeldResult> held_;
  std::optional<Expected> expected_;
};

}  // namespace attnscope
