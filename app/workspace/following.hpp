// app/workspace: follows the Document on screen through the engine: which Document was submitted last, and
// which results were seen.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/engine/live_engine.hpp"

namespace attnscope {

class Following {
 public:
  explicit Following(LiveEngine& engine) : engine_(engine) {}

  /// Submits the Document if it differs from the last one submitted.
  void follow(const Document& document);
  /// A new Document follows: it is submitted even if it is equal, and results of the old one are no longer
  /// news.
  void begin_anew() { submitted_.reset(); }
  /// Switches the backend; false if nothing has to be computed again.
  bool use(std::shared_ptr<Backend> backend);

  /// The newest result of the followed Document if it was not seen yet; else null.
  ResultPtr news() const;
  /// Marks a result as seen.
  void see(const Result& result) { seen_ = {result.ticket, result.refinement}; }
  /// Whether a result of the last submission, equal to this Document, was seen.
  bool is_up_to_date(const Document& document) const {
    return document == submitted_ && seen_.first == ticket_;
  }

 private:
  LiveEngine& engine_;
  std::optional<Document> submitted_;               // empty: the next one is always submitted
  std::uint64_t ticket_ = 0;                        // of submitted_
  std::uint64_t first_ticket_ = 0;                  // of the Document's first submission
  std::pair<std::uint64_t, std::uint64_t> seen_{};  // ticket, refinement
};

}  // namespace attnscope
