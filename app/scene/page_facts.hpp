// app/scene: facts about a page for the bar, the palette, the table of actions and the dialog for files.
// Views read these and do not depend on pages.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/widgets/tip.hpp"
#include "app/scene/actions.hpp"
#include "app/state/requests.hpp"

namespace attnscope {

struct ViewState;
struct PaletteEntry;  // app/views/palette/entries.hpp
struct PresenterKey;  // app/state/presenter_state.hpp

/// For a page with steps: the pages of a PDF, and an HTML file of all steps or of one.
struct PageSteps {
  bool (*are_there)(const Shown&);
  std::string_view whole, whole_file, one, one_file;  // as picture and picture_file
  std::string_view html;                              // the contents of the HTML file
};

/// A region whose picture can be saved: its name in the dialog, and what that adds to a file's name.
struct PagePicture {
  PictureRegion region;
  std::string_view name, file;
};

struct PageFacts {
  Mode mode;                             // its mode, on screen and in a session
  bool is_on_bar = true;                 // false: only its action, the command line and sessions open it
  std::string_view name;                 // on the bar
  Tip tip;                               // the tooltip of that name
  Action open = {};                      // opens it; without run: only the command line and sessions do
  void (*show)(Scene&) = nullptr;        // the click on its name on the bar; null: sets its mode
  std::span<const Action> actions = {};  // available in its mode
  /// While presenting, the letters among its keys belong to the presenter.
  bool leaves_letters_to_presenter = false;
  bool draws_long = true;  // else a long result has the map of the first page there
  /// While presenting: its keys and their effects, for the foot of the window.
  std::vector<PresenterKey> (*presenter_keys)(const Scene&) = nullptr;
  /// Whether it does not use ↑ and ↓ now, which then select none of its controls.
  bool (*leaves_up_and_down)(const ViewState&) = nullptr;
  /// The right end of the status line, in place of the Document's facts; empty: the Document's.
  std::string (*status)(const Scene&) = nullptr;
  /// The name on the bar of what is on screen, if that is not the Document; empty: it is.
  std::string (*name_on_screen)(const Scene&) = nullptr;

  // For the dialog for files. Its numbers are one table, which is saved as CSV; empty: it has no table of its
  // own.
  std::string_view picture, picture_file;  // what a picture shows of it, and what that adds to a file's name
  /// The regions that can be chosen now, the window excepted; null: the page as a whole.
  std::vector<PagePicture> (*pictures)(const Shown&) = nullptr;
  std::string_view menu_picture = {};  // the row of the file menu for it; empty: "Picture of the heatmap…"
  std::string_view table = {};         // the contents of the table
  std::string (*table_name)(const ViewState&) = nullptr;  // the table's file name, without extension
  std::string_view series = {};  // the steps of an animated picture; empty: there are none
  const PageSteps* steps = nullptr;

  /// Adds what can be found besides its actions.
  void (*add_to_palette)(const Shown&, std::vector<PaletteEntry>&) = nullptr;
};

/// All pages, in the order of their table. Defined with that table, in app/pages/all.cpp.
std::span<const PageFacts* const> page_facts();
/// Null: no page has this mode.
inline const PageFacts* page_facts_of(const Mode& mode) {
  const auto all = page_facts();
  const auto found = std::ranges::find(all, mode, &PageFacts::mode);
  return found == all.end() ? nullptr : *found;
}

/// The same, for a page whose numbers are one table of its own; else null.
inline const PageFacts* page_table_of(const Mode& mode) {
  const PageFacts* const page = page_facts_of(mode);
  return page != nullptr && !page->table.empty() ? page : nullptr;
}

/// The steps of the page of a mode; null: it has none.
inline const PageSteps* page_steps_of(const Mode& mode) {
  const PageFacts* const page = page_facts_of(mode);
  return page != nullptr ? page->steps : nullptr;
}

/// The name on the bar of what a mode has on screen; empty: the Document's.
inline std::string name_on_screen(const Mode& mode, const Scene& scene) {
  const PageFacts* const page = page_facts_of(mode);
  return page != nullptr && page->name_on_screen != nullptr ? page->name_on_screen(scene) : std::string();
}

}  // namespace attnscope
