// app/workspace: what the App is made with, and the place that it shows first.
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

/// A place to show; what is not given stays as it is.
struct Spot {
  std::optional<std::int64_t> head;
  std::optional<Cell> cell;
  std::optional<std::int64_t> cells;  // number of cells in sight along the shorter side
};

struct AppOptions {
  std::filesystem::path assets;  // examples, languages
  /// The file of the first picture, an example or any other; empty: the first example. It is read, and its
  /// model runs, before the first frame.
  std::filesystem::path opening = {};
  ThemeName theme = ThemeName::Dark;
  float scale = 1;  // the display's own scale, of everything
  /// The directory of the look, of recent files, and of sessions kept after a close or a crash; empty:
  /// nothing is kept.
  std::filesystem::path state = {};
  std::string language = std::string(english);
  bool language_is_asked_for = false;  // for this run: it comes before the one chosen last
  bool fresh = false;                  // begins as in the first run; what was kept stays where it is
  bool attended = true;                // a person is there to answer questions
  std::function<void()> wake = {};     // called on a worker's thread when a frame is due
  std::int64_t lesson_seed = 0;        // shuffles the choices of questions, 1 to 2^31 - 2; 0: a fixed order
  SharedPool pool = {};                // threads of all computations; those of the backends
};

}  // namespace attnscope
