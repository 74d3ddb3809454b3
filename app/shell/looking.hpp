// app/shell: chooses what is shown of the result on screen: the first cell of an opened Document, a given
// spot, and the record for the plots over time.
#pragma once

#include <cstdint>
#include <optional>

#include "app/workspace/held.hpp"
#include "app/workspace/workspace.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

class Looking {
 public:
  Looking(Workspace& space, const Held& held) : space_(space), held_(held) {}

  /// Chooses a head and a cell, and asks for a zoom at which so many cells around it are in sight. Throws
  /// Error without a shown result, and for a head, query or key that it does not have.
  void look_at(const Spot& spot);
  /// Chooses an interesting head and cell of a newly opened Document.
  void choose_first_cell();
  /// The row whose prediction is shown. For a model that classifies each token: the chosen token, as framed
  /// in the strip; tokens that the mouse only passes over do not count, as the effects of every head would be
  /// computed again.
  std::optional<std::int64_t> predicted_row() const;
  /// At the end of a frame: remembers the cell if it is locked or the mouse does not hover a cell.
  void rest();
  /// Records the moment on screen for the plots over time.
  void record_moment();

 private:
  void choose_in_long();
  void choose_in_model();
  void choose_in_row(const Tensor& weights, std::int64_t query);

  Workspace& space_;
  const Held& held_;
  Cell rested_on_;  // the locked cell, or the last one that was not only hovered
};

}  // namespace attnscope
