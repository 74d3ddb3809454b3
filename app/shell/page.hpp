// app/shell: a page as the shell knows it: what fills the window between the two bars in a mode of its own.
// All that belongs to one stands in its folder of app/pages; the shell includes none of them.
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
#include "app/state/page/page_state.hpp"

namespace attnscope {

struct Box;
class TrainingRuns;  // app/training/training_runs.hpp
struct ModelContext;
struct ModelWants;
struct Selection;

/// What an animated picture of a page goes through.
struct PageSeries {
  std::string of;                // what has the values: while they are gone through it stays the same
  std::vector<double> values;    // empty: there is nothing to go through
  std::optional<double> chosen;  // that is looked at; empty: the page chooses
};

/// A page at work: one for each App. What it does not override it does not have. It belongs to the
/// interface's thread.
class Page {
 public:
  Page() = default;
  virtual ~Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  virtual const PageFacts& facts() const = 0;
  /// Gives its workers what is to be computed. Called in each frame, also while the page is out of sight.
  virtual void follow(const ViewState&) {}
  /// Adds what it shows of the open model to what is computed of it.
  virtual void want(const ViewState&, const ModelContext&, const Selection&, ModelWants&) const {}
  /// Whether all that follow() asked for is there.
  virtual bool is_settled() const { return true; }
  /// Blocks until all that follow() asked for is there.
  virtual void wait() const {}
  /// Whether something moves by itself while the page is on screen, so that it is to be drawn again soon.
  virtual bool is_moving(const ViewState&) const { return false; }
  /// Box: between the sentence, where the page has one, and the status line.
  virtual void draw(Scene&, const Box&) const = 0;
  /// Esc in its mode, where nothing is open above it. False: the shell leaves it.
  virtual bool leave(Scene&) const { return false; }
  /// Its cards above the regions, whatever is on screen; most frames have none.
  virtual void draw_cards(Scene&) {}
  /// The arrows, where they go through something of the page: one step. False: they move the cell.
  virtual bool step(Scene&, std::int64_t /*down*/, std::int64_t /*right*/) const { return false; }
  /// Now minus held, on or off. False: it is another region's.
  virtual bool turn_difference(Scene&) const { return false; }
  /// Called in each frame in which another page is drawn: nothing moves out of sight.
  virtual void rest(ViewState&) const {}
  /// Writes its numbers, of a page whose facts have a table. Throws Error for another ending than .csv, where
  /// there are none, and for what the system refuses.
  virtual void save_table(const std::filesystem::path&) const {}
  virtual PageSeries series(const ViewState&) const { return {}; }
  /// Chooses one of the series' values, or what was chosen before them.
  virtual void choose_in_series(ViewState&, std::optional<double>) const {}
};

/// What a page is made with.
struct PageSupplies {
  std::function<void()> wake;        // called on a worker when there is news
  TrainingRuns* training = nullptr;  // what trains; null: nothing does
};

/// A row of the table of pages.
struct PageRow {
  const PageFacts* facts;
  PageState (*first_state)();  // null: it keeps none
  std::unique_ptr<Page> (*make)(const PageSupplies&);
};

/// All pages of an App, in the order of their table. Defined with it, in app/pages/all.cpp.
std::vector<std::unique_ptr<Page>> make_pages(const PageSupplies&);

/// The page that has this mode; null: none, the shell draws it itself.
inline Page* page_of_mode(std::span<const std::unique_ptr<Page>> pages, Mode mode) {
  const auto found =
      std::ranges::find_if(pages, [&](const auto& page) { return page->facts().mode == mode; });
  return found == pages.end() ? nullptr : found->get();
}

}  // namespace attnscope
