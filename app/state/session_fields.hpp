// app/state: the view settings that a session keeps and their names in the file: a line for a field, a list
// of names, in order, for an enumeration. Pages and regions define their own, see PageState. All other state
// is not kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "app/state/page/names.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/selection.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(ThemeName, {"dark", "light", "contrast"});

/// Calls visit(name, value) for everything that is kept; numbers with their least and greatest valid values.
template <class Visit>
void fields(Visit& visit, Cell& c) {
  visit("query", c.query, 0, 1 << 30);
  visit("key", c.key, 0, 1 << 30);
}

template <class Visit>
void fields(Visit& visit, Selection& s) {
  visit("sequence", s.sequence, 0, 1 << 30);
  visit("head", s.head, 0, 1 << 30);
  visit("cell", s.cell);
  visit("locked", s.locked);
}

template <class Visit>
void fields(Visit& visit, PresenterState& p) {
  visit("on", p.on);
}

template <class Visit>
void fields(Visit& visit, ViewState& v) {
  const auto modes_there = modes();
  NamedChoice mode{static_cast<std::size_t>(std::ranges::find(modes_there, v.mode) - modes_there.begin()),
                   mode_names()};
  visit("mode", mode);
  v.mode = modes_there[mode.at];
  visit("theme", v.theme);
  visit("language", v.language);
  for (PageState& page : v.pages.all) {
    if (*page.name() == '\0')
      fields(visit, page);
    else
      visit(page.name(), page);
  }
  visit("presenter", *v.presenter);
}

}  // namespace attnscope
