// app/files/io: another Document replaces the one on screen; its view is restored with its first result.
#pragma once

#include <filesystem>
#include <optional>

#include "app/files/io/keeping.hpp"
#include "app/session/session.hpp"
#include "app/state/requests.hpp"
#include "app/workspace/held.hpp"
#include "app/workspace/workspace.hpp"
#include "core/edits/dump.hpp"

namespace attnscope {

/// A Document that was opened and has no result without an error yet.
struct Arrival {
  std::optional<Looks> looks;  // its view, restored with that result
  bool is_text = false;        // a notice then says which settings were changed
};

class Arriving {
 public:
  Arriving(Workspace& space, Held& held, Keeping& keeping) : space_(space), held_(held), keeping_(keeping) {}

  /// Replaces the Document. `is_text`: it was opened from a text.
  void take(Session session, const std::filesystem::path& file, bool is_text = false);
  /// Opens a Document that a page has made; as with a file, what was open before is kept as closed.
  void take_made(MadeDocument made);
  /// The Document that was taken and has no result yet; empty: none.
  std::optional<Arrival>& arrival() { return arrival_; }
  const std::optional<Arrival>& arrival() const { return arrival_; }
  /// Restores the view and selection of a session. State of this run (notices, files, keyboard, Watch) stays.
  void look_as_opened(Looks looks);
  /// A notice that a text was opened with other settings than the examples, and how to go back.
  void tell_of_text();

  /// Whether the shown Document is a layer of that file.
  bool is_layer_of_shown(const std::filesystem::path& path) const;
  /// Shows another layer of the file with the same settings, head, cell and zoom.
  void take_layer(Document layer);
  /// A guessed setting that the user changes is no longer a guess. `before`: at the beginning of this frame.
  void settle_guesses(const Answers& before);

  bool is_typing() const;
  /// Call it before another Document comes: what was typed becomes a step of undo and is not written into the
  /// new Document.
  void end_typing();

 private:
  Workspace& space_;
  Held& held_;
  Keeping& keeping_;
  std::optional<Arrival> arrival_;
};

}  // namespace attnscope
