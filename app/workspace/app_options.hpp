// app/workspace: what the interface is told when it is made, and where it is to look.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/kit/ui/theme.hpp"
#include "app/kit/ui/words.hpp"
#include "app/state/selection.hpp"
#include "core/base/parallel.hpp"

namespace attnscope {

/// A spot to look at; what is not given stays as it is.
struct Spot {
  std::optional<std::int64_t> head;
  std::optional<Cell> cell;
  std::optional<std::int64_t> cells;  // in sight, the shorter way
};

struct AppOptions {
  std::filesystem::path assets;  // examples, languages
  /// What the first picture is of, an example or any other file; empty: the first example. It is read, and a
  /// model that it stands in runs, before the first frame.
  std::filesystem::path opening = {};
  ThemeName theme = ThemeName::Dark;
  float scale = 1;  // of everything; the display's own scale
  /// Where the look, recent files and what survives an end are kept; empty: nowhere.
  std::filesystem::path state = {};
  std::string language = std::string(english);
  bool language_is_asked_for = false;  // for this run: before the one that was chosen last
  bool fresh = false;                  // as in the first run; what is kept stays where it is
  bool attended = true;                // a person is there who can be asked
  std::function<void()> wake = {};     // called on a worker when a frame is due
  std::int64_t lesson_seed = 0;        // of the orders of choices, 1 to 2^31 - 2; 0: they are always the same
  SharedPool pool = {};                // what everything is computed with; the backends' own
};

}  // namespace attnscope
