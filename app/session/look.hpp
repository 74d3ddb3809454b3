// app/session: the window's look, kept from one run to the next, whatever was open: colours, size, language,
// regions. The view of a document is kept by sessions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/state/window_state.hpp"

namespace attnscope {

/// Size of a window, in its system's units; 0 = not known.
struct WindowShape {
  int width = 0, height = 0;
  bool maximised = false;
  bool operator==(const WindowShape&) const = default;
};

struct Look {
  ViewState view;                       // the part that adopt_look() copies
  bool is_known = false;                // false: the first run, with all defaults
  std::optional<std::string> language;  // chosen by the user; empty: the system's
  float size = 1;                       // factor on the display's own scale
  WindowShape window;
  std::filesystem::path folder;  // of the file that was opened or saved last
  std::string offered;           // the session closed last, if it has been offered already
};

/// Reads `directory`/look.json. Never throws: missing or damaged values are as in the first run.
Look read_look(const std::filesystem::path& directory);
/// Writes it atomically; ignores errors.
void write_look(const Look&, const std::filesystem::path& directory);

/// Copies theme, regions with their sizes and sections, plots, and colours of the map; the mode Walk, but not
/// Compare, which needs a held B. Language and scale are left to the caller.
void adopt_look(ViewState& view, const ViewState& kept);

}  // namespace attnscope
