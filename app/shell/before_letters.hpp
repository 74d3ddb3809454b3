// app/shell: what is kept for the time that keys and files wait for one another.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/state/history.hpp"
#include "app/state/selection.hpp"
#include "app/state/view_state.hpp"
#include "core/document/document.hpp"

namespace attnscope {

/// What a first letter finds, in case it turns out to be a word's.
struct BeforeLetters {
  Document document;
  ViewState view;
  Selection selection;
  History history;  // the step that waits to be recorded, what lies ahead and what lies behind
  std::optional<std::size_t> backend;
  bool swapped = false, switched = false;  // since then: A and B; the backend
  std::optional<HeldThen> held = {};
};

/// Files that were dropped while something was typed: its field is left first, which takes a frame.
struct DroppedFiles {
  std::vector<std::filesystem::path> paths;
  bool was_sentence = false;  // that was typed
  bool is_left = false;       // the frame is drawn
};

}  // namespace attnscope
