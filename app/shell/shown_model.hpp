// app/shell: the model of the Document on screen: what to compute of it, and what each reading and each edit
// changes on screen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/files/io/model_arriving.hpp"
#include "app/scene/scene.hpp"
#include "app/shell/looking.hpp"
#include "app/shell/page.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class ShownModel {
 public:
  /// `pages` must outlive it: each adds its wants of the model.
  ShownModel(Workspace& space, const Looking& looking, ModelArriving& arriving,
             const std::vector<std::unique_ptr<Page>>& pages)
      : space_(space), looking_(looking), arriving_(arriving), pages_(pages) {}

  /// What to compute of the model: only what is on screen, as lens and effects take longer than the heads.
  ModelWants wants() const;
  Shown::RunningTask task() const;
  /// Takes a reading that has come since the last frame.
  void take_readings();
  /// Makes the edit since `before`, the Document at the beginning of this frame, a change inside the model,
  /// or says that it cannot.
  void take_edits(const Document& before);
  /// At the end of a frame: submits what is wanted, unless another model runs first.
  void follow();
  bool is_settled() const;
  /// Blocks until all that is wanted of the model is computed.
  void wait() const;

 private:
  Workspace& space_;
  const Looking& looking_;
  ModelArriving& arriving_;
  const std::vector<std::unique_ptr<Page>>& pages_;
  std::string backend_note_;  // of the newest reading; shown when it changes
};

}  // namespace attnscope
