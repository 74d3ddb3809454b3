// app/files/io: another Document takes the place of the one on screen, and is looked at once its first result
// is there.
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

/// A Document that was opened and whose first good result is still to come.
struct Arrival {
  std::optional<Looks> looks;  // how it will be looked at then
  bool is_text = false;        // what opening it changed is said then
};

class Arriving {
 public:
  Arriving(Workspace& space, Held& held, Keeping& keeping) : space_(space), held_(held), keeping_(keeping) {}

  /// From here on the Document is another one. `is_text`: it was opened from a text.
  void take(Session session, const std::filesystem::path& file, bool is_text = false);
  /// What a page has made, as a file is opened: what was open before is kept as closed.
  void take_made(MadeDocument made);
  /// What was taken and has no result yet; empty: none.
  std::optional<Arrival>& arrival() { return arrival_; }
  const std::optional<Arrival>& arrival() const { return arrival_; }
  /// Everything is looked at as it was when the session was kept. What belongs to this run stays.
  void look_as_opened(Looks looks);
  /// A text opens with other settings than the examples have: said once, with the way back.
  void tell_of_text();

  /// Whether what is shown is a layer of that file.
  bool is_layer_of_shown(const std::filesystem::path& path) const;
  /// Another layer is looked at as the one before: what a person set stays, and so do head, cell and zoom.
  void take_layer(Document layer);
  /// A setting that was guessed is no guess any more once it is turned. `before`: as this frame found it.
  void settle_guesses(const Answers& before);

  bool is_typing() const;
  /// Another Document comes now. What was typed into the one that is there becomes a step, and is not written
  /// into the other one.
  void end_typing();

 private:
  Workspace& space_;
  Held& held_;
  Keeping& keeping_;
  std::optional<Arrival> arrival_;
};

}  // namespace attnscope
