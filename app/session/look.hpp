// app/session: what is remembered of how the window looked from one run to the next, whatever was open in it:
// colours, size, language, regions. Not how a document was looked at; sessions keep that.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/state/view_state.hpp"

namespace attnscope {

/// Of a window, in the units of its system; 0 = not known.
struct WindowShape {
  int width = 0, height = 0;
  bool maximised = false;
  bool operator==(const WindowShape&) const = default;
};

struct Look {
  ViewState view;                       // as far as adopt_look() takes it over
  bool is_known = false;                // false: the first run; everything is as usual
  std::optional<std::string> language;  // that a person chose; empty: as the system has it
  float size = 1;                       // of everything, times the display's own scale
  WindowShape window;
  std::filesystem::path folder;  // where a file was opened or saved last
  std::string offered;           // what was closed last and has been offered already
};

/// From `directory`/look.json. Never throws: what is missing or damaged is as in the first run.
Look read_look(const std::filesystem::path& directory);
/// Atomically; what cannot be written is no reason to complain.
void write_look(const Look&, const std::filesystem::path& directory);

/// Theme, regions with their sizes and sections, plots, palette of the map; Walk, but not Compare, which
/// needs something to compare with. Language and scale are the caller's.
void adopt_look(ViewState& view, const ViewState& kept);

}  // namespace attnscope
