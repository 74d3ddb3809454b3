// app/shell: words that are typed or pasted while no field has the keyboard.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "app/workspace/held.hpp"
#include "app/workspace/undo_steps.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

/// What a first letter finds, in case it turns out to be a word's.
struct BeforeLetters {
  Document document;
  ViewState view;
  Selection selection;
  History history;  // the step that waits to be recorded, what lies ahead and what lies behind
  std::optional<std::size_t> backend;
  std::size_t swaps = 0, switches = 0;  // how often A and B, and the backend, had changed
  std::optional<HeldThen> held = {};
};

/// A text of no more tokens than are cached takes the cache with it: it is said.
void tell_lost_cache(Workspace&, const Input& before);

class TypedWords {
 public:
  /// `leave_page`: the page on screen does not show the sentence.
  TypedWords(Workspace& space, Held& held, UndoSteps& steps, std::function<void()> leave_page)
      : space_(space), held_(held), steps_(steps), leave_page_(std::move(leave_page)) {}

  /// Once a frame, before any key of it does something.
  void watch_letters();

 private:
  void begin_words();
  void take_words();
  void type_words(std::string_view text);
  void paste_words();
  void take_back(BeforeLetters);
  bool has_sentence_in_sight() const;

  Workspace& space_;
  Held& held_;
  UndoSteps& steps_;
  std::function<void()> leave_page_;
  std::optional<BeforeLetters> before_;  // the letters that are being typed
};

}  // namespace attnscope
