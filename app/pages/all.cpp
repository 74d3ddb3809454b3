// app/pages: the table of pages. Another page is a folder and a row. What is declared in app/shell/page.hpp,
// app/scene/page_facts.hpp and app/state/page/page_state.hpp is defined here, so that these rooms know no
// page.
#include <array>

#include "app/pages/experiments/page.hpp"
#include "app/shell/page.hpp"

namespace attnscope {
namespace {

std::span<const PageRow> page_rows() {
  static const std::array rows{experiments_page()};
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

std::vector<PageState> first_page_states() {
  std::vector<PageState> all;
  for (const PageRow& row : page_rows()) all.push_back(row.first_state());
  return all;
}

std::vector<std::unique_ptr<Page>> make_pages(const PageSupplies& supplies) {
  std::vector<std::unique_ptr<Page>> all;
  for (const PageRow& row : page_rows()) all.push_back(row.make(supplies));
  return all;
}

}  // namespace attnscope
