// app/shell: puts results on screen: A, and B beside it.
#pragma once

#include <string>

#include "app/files/io/arriving.hpp"
#include "app/shell/looking.hpp"
#include "app/shell/replaced_text.hpp"
#include "app/workspace/held.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class Showing {
 public:
  Showing(Workspace& space, Held& held, Arriving& arriving, Looking& looking)
      : space_(space), held_(held), arriving_(arriving), looking_(looking) {}

  /// Once a frame: takes what was computed since the last one.
  void take_results();
  /// Called before and after drawing.
  void begin_frame();
  void end_frame();
  /// Whether the complete result of the Document is on screen, with all numbers that views asked for.
  bool is_settled() const;
  /// Waits for missing numbers of the results that views asked for; false if none was missing.
  bool finish_numbers() const;

 private:
  void show(const ResultPtr& good);
  void take_arrival();
  void tell_of_backends(const Result& newest);

  Workspace& space_;
  Held& held_;
  Arriving& arriving_;
  Looking& looking_;
  std::string backend_note_;  // of the newest result; shown when it changes
  ShownText shown_text_;
};

}  // namespace attnscope
