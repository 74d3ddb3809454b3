// app/workspace: the Document on screen on its way through the engine: which was submitted last, and which of
// the results were seen.
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
  /// The Document is another one from here on: it is submitted in any case, and no result of what was there
  /// before is news.
  void begin_anew() { submitted_.reset(); }
  /// Computes on another backend; false when it does so already, or when there is nothing to compute.
  bool use(std::shared_ptr<Backend> backend);

  /// The newest result of the Document that is followed if it was not seen yet; null else.
  ResultPtr news() const;
  /// It is taken.
  void see(const Result& result) { seen_ = {result.ticket, result.refinement}; }
  /// The last word on this Document has been seen.
  bool is_up_to_date(const Document& document) const {
    return document == submitted_ && seen_.first == ticket_;
  }

 private:
  LiveEngine& engine_;
  std::optional<Document> submitted_;               // empty: the next one is submitted in any case
  std::uint64_t ticket_ = 0;                        // of it
  std::uint64_t first_ticket_ = 0;                  // since it is another Document
  std::pair<std::uint64_t, std::uint64_t> seen_{};  // ticket, refinement
};

}  // namespace attnscope
