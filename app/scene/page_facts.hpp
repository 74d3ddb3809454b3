// app/scene: what the bar, the palette, the table of actions and the dialog for files say of a page. Views
// read it and know no page.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/widgets/tip.hpp"
#include "app/scene/actions.hpp"

namespace attnscope {

struct ViewState;
struct PaletteEntry;  // app/views/palette/entries.hpp
struct PresenterKey;  // app/state/presenter_state.hpp

/// Of a page that goes through steps: the pages of a PDF; and a file for a browser, of all steps or of one.
struct PageSteps {
  bool (*are_there)(const Shown&);
  std::string_view whole, whole_file, one, one_file;  // as picture and picture_file
  std::string_view html;                              // what the file for a browser has
};

struct PageFacts {
  Mode mode;                             // on screen, and in a session
  bool is_on_bar = true;                 // else only its action, the command line and sessions show it
  std::string_view name;                 // on the bar
  Tip tip;                               // of its name there
  Action open = {};                      // shows it; without run: only the command line and sessions do
  void (*show)(Scene&) = nullptr;        // what its name on the bar does; null: its mode is chosen
  std::span<const Action> actions = {};  // in its mode
  /// In front of a room the letters among its keys are the presenter's.
  bool leaves_letters_to_presenter = false;
  bool draws_long = true;  // else a long result has its usual map there
  /// In front of a room: what its keys do, for the foot of the window.
  std::vector<PresenterKey> (*presenter_keys)(const Scene&) = nullptr;
  /// Whether it has no use for ↑ and ↓ now: they ring no control of it.
  bool (*leaves_up_and_down)(const ViewState&) = nullptr;
  /// At the right of the status line, in place of what is said of the Document; empty: that.
  std::string (*status)(const Scene&) = nullptr;
  /// What the bar calls what is on screen where that is not the Document; empty: it is.
  std::string (*name_on_screen)(const Scene&) = nullptr;

  // In the dialog for files. Its numbers are one table, which is saved as CSV; empty: it has none of its own.
  std::string_view picture, picture_file;  // what a picture shows of it, and what that adds to a file's name
  std::string_view menu_picture = {};  // the row of the file menu for it; empty: "Picture of the heatmap…"
  std::string_view table = {};         // what the table has
  std::string (*table_name)(const ViewState&) = nullptr;  // a file's name for it, without ending
  std::string_view series = {};  // what an animated picture goes through; empty: there is none
  const PageSteps* steps = nullptr;

  /// What can be found beside its actions.
  void (*add_to_palette)(const Shown&, std::vector<PaletteEntry>&) = nullptr;
};

/// Of all pages, in the order of their table. Defined with it, in app/pages/all.cpp.
std::span<const PageFacts* const> page_facts();
/// Null: no page has this mode; the shell draws it itself.
inline const PageFacts* page_facts_of(const Mode& mode) {
  const auto all = page_facts();
  const auto found = std::ranges::find(all, mode, &PageFacts::mode);
  return found == all.end() ? nullptr : *found;
}

/// The same of a page whose numbers are one table of its own; null else.
inline const PageFacts* page_table_of(const Mode& mode) {
  const PageFacts* const page = page_facts_of(mode);
  return page != nullptr && !page->table.empty() ? page : nullptr;
}

/// What the page of a mode goes through; null: no steps.
inline const PageSteps* page_steps_of(const Mode& mode) {
  const PageFacts* const page = page_facts_of(mode);
  return page != nullptr ? page->steps : nullptr;
}

/// What the bar calls what a mode has on screen; empty: the Document.
inline std::string name_on_screen(const Mode& mode, const Scene& scene) {
  const PageFacts* const page = page_facts_of(mode);
  return page != nullptr && page->name_on_screen != nullptr ? page->name_on_screen(scene) : std::string();
}

}  // namespace attnscope
