// app/workspace: undo and redo on screen: records steps, goes back to them, and restores their view once they
// are computed.
#pragma once

#include <optional>

#include "app/workspace/held.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class UndoSteps {
 public:
  UndoSteps(Workspace& space, Held& held) : space_(space), held_(held) {}

  /// Undo (-1) or redo (+1) by one step.
  void step(int way);
  /// Undoes until the Document belongs to a model.
  void go_back_to_model();
  /// Restores the view of the step that undo or redo reached, once its Document is computed.
  void look_when_computed();
  /// Restores this view once the Document is computed.
  void await(const Viewing&);
  /// At the end of a frame: records what changed as a step. `is_on_its_way`: another Document is being
  /// opened. `is_generating`: all tokens that are generated are one step.
  void observe(bool is_on_its_way, bool is_generating);

 private:
  bool has_model_behind() const;
  void bring_back(Document said);

  Workspace& space_;
  Held& held_;
  std::optional<ComingStep> coming_;
};

}  // namespace attnscope
