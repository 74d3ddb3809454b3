// app/shell: what is looked at of the result on screen: where a Document that was opened is looked at first,
// the spot that is asked for, and what the plots over time record.
#pragma once

#include <cstdint>
#include <optional>

#include "app/workspace/held.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

class Looking {
 public:
  Looking(Workspace& space, const Held& held) : space_(space), held_(held) {}

  /// Chooses a head and a cell and zooms until so many queries and keys round it are in sight. There must be
  /// a shown result; throws Error for what it does not have.
  void look_at(const Spot& spot);
  /// A newly opened Document starts on a head and a cell that have something to say.
  void choose_first_cell();
  /// Of a model that says something of each token: of the one that is looked at, as the strip frames it. What
  /// the mouse passes over waits until it leaves: effects of every head would begin anew.
  std::optional<std::int64_t> predicted_row() const;
  /// At the end of a frame: the cell is locked, or is not only passed over.
  void rest();
  /// The plots over time get the moment that is on screen.
  void record_moment();

 private:
  void choose_in_long();
  void choose_in_model();

  Workspace& space_;
  const Held& held_;
  Cell rested_on_;  // the locked cell, or the last one that was not in passing
};

}  // namespace attnscope
