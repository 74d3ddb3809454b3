// app/shell: takes words that are typed or pasted while no field has the keyboard.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "app/state/window_state.hpp"
#include "app/workspace/held.hpp"
#include "app/workspace/undo_steps.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

/// The state before a first letter, in case it turns out to begin a word.
struct BeforeLetters {
  Document document;
  ViewState view;
  Selection selection;
  History history;  // with the step that waits to be recorded, undo and redo
  std::optional<std::size_t> backend;
  std::size_t swaps = 0, switches = 0;  // how often A and B, and the backend, had changed
  std::optional<HeldThen> held = {};
};

/// Says in a notice if the cache was lost, as the text has no more tokens than were cached.
void tell_lost_cache(Workspace&, const Input& before);

class TypedWords {
 public:
  /// `leave_page`: called if the page on screen does not show the sentence.
  TypedWords(Workspace& space, Held& held, UndoSteps& steps, std::function<void()> leave_page)
      : space_(space), held_(held), steps_(steps), leave_page_(std::move(leave_page)) {}

  /// Once a frame, before the keys of the frame run actions.
  void watch_letters();

 private:
  void begin_words();
  void take_words();
  void type_words(std::string_view text);
  void paste_words();
  void take_back(BeforeLetters);
  bool is_sentence_visible() const;

  Workspace& space_;
  Held& held_;
  UndoSteps& steps_;
  std::function<void()> leave_page_;
  std::optional<BeforeLetters> before_;  // the state before the letters that are being typed
};

}  // namespace attnscope
