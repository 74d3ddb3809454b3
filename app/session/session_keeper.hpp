// app/session: notices changes of what a session keeps and has them written a moment later.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/scene/held.hpp"
#include "app/session/autosave.hpp"
#include "app/state/selection.hpp"

namespace attnscope {

struct ViewState;  // app/state/window_state.hpp

class SessionKeeper {
 public:
  static constexpr double delay = 0.5;  // seconds from a change until it is written

  /// Everything that is written.
  struct Now {
    const Document& document;
    const ViewState& view;
    const Selection& selection;
    const std::optional<HeldResult>& held;
    const std::filesystem::path& file;
    double seconds;  // any clock that runs forward
  };

  explicit SessionKeeper(const std::filesystem::path& directory) : autosave_(directory) {}

  /// This state was not made by the user and need not be written.
  void is_as_it_was(const Now&);
  /// Once a frame; cheap while nothing changed. A change that has waited for `delay` is written on another
  /// thread.
  void observe(const Now&);
  /// Writes a waiting change now.
  void write(const Now&);
  /// When a waiting change will be written, on the same clock; empty if none waits.
  std::optional<double> due() const { return due_; }

  Autosave& autosave() { return autosave_; }

 private:
  struct Seen {
    Document document;
    std::uint64_t mark = 0;
    ResultPtr held;
  };
  bool is_seen(const Now&, std::uint64_t mark) const;
  static ResultPtr held_in(const Now&);

  Autosave autosave_;
  std::optional<Seen> written_;
  std::optional<double> due_;
};

}  // namespace attnscope
