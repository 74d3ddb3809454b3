// app/shell: why the open Document takes no text; used when its field is asked for and when a text is pasted.
#pragma once

#include <string_view>

#include "app/state/files_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "core/edits/within.hpp"

namespace attnscope {

/// A sentence; empty if it takes text. `is_long`: the result has too many tokens for a field.
inline std::string_view why_no_text(const Document& document, const ViewState& view, bool is_long) {
  if (is_watching(view)) return "What a process reads is typed there: F7 goes back to the model.";
  if (is_long) return "A long sequence has no text field: open a shorter text to type.";
  if (typed_texts(document) > 0 || document.input.is_given()) return {};
  if (!document.within.read().input.image.empty())
    return "The model looks at a picture and reads no text: drop a picture on the window.";
  if (view.files->model_behind)
    return "This layer was cut out of its model and has no text: F7 shows the way back to the model.";
  return "What is open came as numbers and has no sentence to type.";
}

}  // namespace attnscope
