// app/workspace: which notices another Document, or other colours, have made untrue.
#pragma once

#include <optional>
#include <utility>

#include "app/state/notices.hpp"
#include "core/edits/within.hpp"

namespace attnscope {

class Noticed {
 public:
  /// Once a frame, when everything that changes the Document has done so. `log`: colours are logarithmic.
  void follow(Notices& notices, const Document& document, bool log) {
    if (!notices.speak_of_document()) return seen_.reset();
    Seen now{what_is_said(document), log};
    // Which layer of a model is looked at makes nothing untrue.
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
  std::optional<Seen> seen_;  // in the frame before; empty where no notice was of a Document
};

}  // namespace attnscope
