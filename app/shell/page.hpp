// app/shell: a page as the shell knows it: it fills the window between the two bars in a mode of its own.
// Everything that belongs to a page is in its folder of app/pages; the shell includes none of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/scene/page_facts.hpp"
#include "app/state/keyboard_state.hpp"
#include "app/state/page/page_state.hpp"

namespace attnscope {

struct Box;
struct Layout;       // app/state/regions/layout.hpp
class Stops;         // app/scene/stops.hpp
class TrainingRuns;  // app/training/training_runs.hpp
struct ModelContext;
struct ModelWants;
struct Selection;

/// The values of an animated picture of a page.
struct PageSeries {
  std::string of;                // the owner of the values, which must not change while they are drawn
  std::vector<double> values;    // empty: the page has no series
  std::optional<double> chosen;  // the shown value; empty: the page's default
};

/// A page at work, one for each App. Functions that it does not override are features that it does not have.
/// Use it on the interface's thread alone.
class Page {
 public:
  Page() = default;
  virtual ~Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  virtual const PageFacts& facts() const = 0;
  /// Tells its workers what to compute. Called in each frame, also while another page is shown.
  virtual void follow(const ViewState&) {}
  /// Adds what the page shows of the open model to what is to be computed.
  virtual void want(const ViewState&, const ModelContext&, const Selection&, ModelWants&) const {}
  /// Whether everything that follow() asked for is computed.
  virtual bool is_settled() const { return true; }
  /// Blocks until everything that follow() asked for is computed.
  virtual void wait() const {}
  /// Whether something on the page moves by itself, so that it must be drawn again soon.
  virtual bool is_moving(const ViewState&) const { return false; }
  /// Draws the page into the box between the sentence, if the page has one, and the status line. A page of
  /// several regions overrides the three functions below instead.
  virtual void draw(Scene&, const Box&) const {}
  /// The groups of widgets between which F6 moves, in the order of drawing: the whole box is one.
  virtual std::vector<Stop> stops(const Layout&) const;
  /// Draws each of these groups where the layout has it.
  virtual void draw_regions(Scene&, const Layout&, Stops&) const;
  /// Draws a long result, if its facts say draws_long.
  virtual void draw_long(Scene&, const Layout&) const;
  /// Esc in its mode, before the presenter's tools are put away: closes one thing that is open among its
  /// regions. False: nothing is.
  virtual bool close(Scene&) const { return false; }
  /// Esc in its mode, if nothing is open above it. False: the shell leaves the page.
  virtual bool leave(Scene&) const { return false; }
  /// Draws its cards above the regions, on any page; most frames have none.
  virtual void draw_cards(Scene&) {}
  /// An arrow key moves by one step through something of the page. False: it moves the cell.
  virtual bool step(Scene&, std::int64_t /*down*/, std::int64_t /*right*/) const { return false; }
  /// Turns now − held on or off. False: the page does not show it.
  virtual bool turn_difference(Scene&) const { return false; }
  /// Called in each frame in which another page is drawn: stops what moves.
  virtual void rest(ViewState&) const {}
  /// Writes its numbers, if its facts have a table. Throws Error for another extension than .csv, without
  /// numbers, and if the system refuses.
  virtual void save_table(const std::filesystem::path&) const {}
  virtual PageSeries series(const ViewState&) const { return {}; }
  /// Chooses one of the series' values, or PageSeries::chosen of before.
  virtual void choose_in_series(ViewState&, std::optional<double>) const {}
};

/// Arguments for making a page.
struct PageSupplies {
  std::function<void()> wake;        // called on a worker's thread when there is something new to show
  TrainingRuns* training = nullptr;  // the runs; null: none
};

/// A row of the table of pages.
struct PageRow {
  const PageFacts* facts;
  PageState (*first_state)();  // null: the page has no state
  std::unique_ptr<Page> (*make)(const PageSupplies&);
};

/// Makes all pages of an App, in the order of their table. Defined beside it, in app/pages/all.cpp.
std::vector<std::unique_ptr<Page>> make_pages(const PageSupplies&);

/// The page of this mode; null: there is none.
inline Page* page_of_mode(std::span<const std::unique_ptr<Page>> pages, Mode mode) {
  const auto found =
      std::ranges::find_if(pages, [&](const auto& page) { return page->facts().mode == mode; });
  return found == pages.end() ? nullptr : found->get();
}

/// The page that draws a long result in this mode: its own, or else the first of the table.
inline const Page& page_of_long(std::span<const std::unique_ptr<Page>> pages, Mode mode) {
  const Page* const own = page_of_mode(pages, mode);
  return own != nullptr && own->facts().draws_long ? *own : *pages.front();
}

}  // namespace attnscope
