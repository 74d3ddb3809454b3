// app/pages: the table of pages. A new page is a folder and a row here. What is declared in
// app/shell/page.hpp, app/scene/page_facts.hpp, app/state/page/mode.hpp and page_state.hpp is defined here,
// so that these rooms know no page.
#include <algorithm>
#include <array>

#include "app/pages/compare/page.hpp"
#include "app/pages/experiments/page.hpp"
#include "app/pages/explore/page.hpp"
#include "app/pages/gallery/page.hpp"
#include "app/pages/lessons/page.hpp"
#include "app/pages/model/page.hpp"
#include "app/pages/training/page.hpp"
#include "app/pages/walk/page.hpp"
#include "app/shell/page.hpp"
#include "app/state/regions/region_states.hpp"

namespace attnscope {
namespace {

std::span<const PageRow> page_rows() {
  static const std::array rows{explore_page(),     walk_page(),    compare_page(),  model_page(),
                               experiments_page(), lessons_page(), training_page(), gallery_page()};
  return rows;
}

}  // namespace

std::span<const PageFacts* const> page_facts() {
  static const std::vector<const PageFacts*> all = [] {
    std::vector<const PageFacts*> facts;
    for (const PageRow& row : page_rows()) facts.push_back(row.facts);
    return facts;
  }();
  return all;
}

std::span<const Mode> modes() {
  static const std::vector<Mode> all = [] {
    std::vector<Mode> known{Mode::Explore,     Mode::Walk,    Mode::Compare, Mode::Model,
                            Mode::Experiments, Mode::Lessons, Mode::Training};
    for (const PageFacts* const page : page_facts())
      if (std::ranges::find(known, page->mode) == known.end()) known.push_back(page->mode);
    return known;
  }();
  return all;
}

std::span<const std::string_view> mode_names() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names;
    for (const Mode& mode : modes()) names.push_back(mode.name);
    return names;
  }();
  return all;
}

std::optional<Mode> mode_named(std::string_view name) {
  const auto found = std::ranges::find(modes(), name, &Mode::name);
  return found == modes().end() ? std::nullopt : std::optional(*found);
}

std::vector<PageState> first_page_states() {
  std::vector<PageState> all = region_states();
  for (const PageRow& row : page_rows())
    if (row.first_state != nullptr) all.push_back(row.first_state());
  return all;
}

std::vector<std::unique_ptr<Page>> make_pages(const PageSupplies& supplies) {
  std::vector<std::unique_ptr<Page>> all;
  for (const PageRow& row : page_rows()) all.push_back(row.make(supplies));
  return all;
}

}  // namespace attnscope
