// app/shell: the model that the Document on screen stands in: what is computed of it, and what each reading
// and each edit changes on screen.
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
  /// `pages` outlive it: each says what it wants of the model.
  ShownModel(Workspace& space, const Looking& looking, ModelArriving& arriving,
             const std::vector<std::unique_ptr<Page>>& pages)
      : space_(space), looking_(looking), arriving_(arriving), pages_(pages) {}

  /// What is not on screen is not computed: lens and effects take longer than the heads.
  ModelWants wants() const;
  Shown::RunningTask task() const;
  /// A reading that has come since the last frame is taken.
  void take_readings();
  /// An edit since `before`, which this frame found, becomes a change inside the model, or is told of.
  void settle(const Document& before);
  /// At the end of a frame: submits what is wanted, unless another model runs first.
  void follow();
  bool is_settled() const;
  /// Blocks until all that is wanted of the model is there.
  void wait() const;

 private:
  Workspace& space_;
  const Looking& looking_;
  ModelArriving& arriving_;
  const std::vector<std::unique_ptr<Page>>& pages_;
  std::string backend_note_;  // of the newest reading; said when it changes
};

}  // namespace attnscope
