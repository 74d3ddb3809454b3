// app/workspace: undo and redo on screen: steps are recorded, gone back to, and looked at once they are
// computed.
#pragma once

#include <optional>

#include "app/workspace/held.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class UndoSteps {
 public:
  UndoSteps(Workspace& space, Held& held) : space_(space), held_(held) {}

  /// -1: one step back, +1: one forward.
  void step(int way);
  /// Undo until a model is open.
  void go_back_to_model();
  /// What was gone back to is looked at as it was, once its Document is computed.
  void look_when_computed();
  /// It is not there yet: it is looked at like this then.
  void await(const Viewing&);
  /// At the end of a frame: what changed in it becomes a step. `is_on_its_way`: another Document comes.
  /// `is_generating`: a text goes on by itself, which is one step.
  void observe(bool is_on_its_way, bool is_generating);

 private:
  bool has_model_behind() const;
  void bring_back(Document said);

  Workspace& space_;
  Held& held_;
  std::optional<ComingStep> coming_;
};

}  // namespace attnscope
