// app/workspace: finds out which notices are no longer true after a change of the Document or of the colours.
#pragma once

#include <optional>
#include <utility>

#include "app/state/notices.hpp"
#include "core/edits/within.hpp"

namespace attnscope {

class Noticed {
 public:
  /// Once a frame, after all changes of the Document. `log`: colours are logarithmic.
  void follow(Notices& notices, const Document& document, bool log) {
    if (!notices.speak_of_document()) return seen_.reset();
    Seen now{what_is_said(document), log};
    // The choice of a model's layer makes no notice untrue.
    if (now.document.within.read()) {
      ModelContext& within = now.document.within.change();
      within.block = 0;
      within.of = {};
    }
    notices.follow_document(seen_ && seen_->document != now.document, seen_ && seen_->log != log);
    seen_ = std::move(now);
  }

 private:
  struct Seen {
    Document document;
    bool log = false;
  };
  std::optional<Seen> seen_;  // of the frame before; empty if it had no notice about a Document
};

}  // namespace attnscope
