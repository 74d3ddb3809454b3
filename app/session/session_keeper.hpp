// app/session: notices what a session would have to remember and has it written a moment later.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/scene/held.hpp"
#include "app/session/autosave.hpp"
#include "app/state/selection.hpp"
#include "app/state/view_state.hpp"

namespace attnscope {

class SessionKeeper {
 public:
  static constexpr double delay = 0.5;  // seconds from a change until it is written

  /// Everything that is kept.
  struct Now {
    const Document& document;
    const ViewState& view;
    const Selection& selection;
    const std::optional<HeldSight>& held;
    const std::filesystem::path& file;
    double seconds;  // any clock that runs forward
  };

  explicit SessionKeeper(const std::filesystem::path& directory) : autosave_(directory) {}

  /// What is there by itself is not worth keeping.
  void is_as_it_was(const Now&);
  /// Once a frame. Cheap while nothing changed; writes, on another thread, what has waited long enough.
  void observe(const Now&);
  /// Writes what waits.
  void write(const Now&);
  /// On the same clock; empty while nothing waits.
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
