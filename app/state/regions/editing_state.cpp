#include "app/state/regions/editing_state.hpp"

#include <array>
#include <string_view>

#include "app/state/regions/zoom_fields.hpp"

namespace attnscope {

template <>
struct Names<Editable> {
  static constexpr auto list = [] {
    std::array<std::string_view, editable_count> all{"input",  "memory",    "queries",    "keys",
                                                     "values", "past-keys", "past-values"};
    for (std::size_t i = first_editable_parameter; i < editable_count; ++i)
      all[i] = info(*parameter_of(static_cast<Editable>(i))).id;
    return all;
  }();
};

void fields(PageFields& visit, EditingState& editing) {
  visit("weights", editing.weights);
  visit("zoomed", editing.zoomed, InUndo::No);
  visit("across", editing.across);
  visit("down", editing.down);
  visit("painting", editing.painting);
  visit("all_heads", editing.all_heads);
}

}  // namespace attnscope
