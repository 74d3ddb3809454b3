// tests/support: a table without pages, for programs that are linked without their views. It has the states
// that a session looks at as it is opened.
#include <array>

#include "app/pages/model/state/model_state.hpp"
#include "app/state/page/mode.hpp"
#include "app/state/page/page_state.hpp"
#include "app/state/regions/region_states.hpp"
#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {
namespace {

constexpr std::array known{Mode::Explore, Mode::Walk,        Mode::Compare, Mode::Model,
                           Mode::Lessons, Mode::Experiments, Mode::Training};
constexpr std::array names{Mode::Explore.name, Mode::Walk.name,        Mode::Compare.name, Mode::Model.name,
                           Mode::Lessons.name, Mode::Experiments.name, Mode::Training.name};

}  // namespace

std::vector<PageState> first_page_states() {
  std::vector<PageState> all = region_states();
  all.emplace_back("model", ModelState());
  all.emplace_back("lesson", LessonState());
  return all;
}

std::span<const Mode> modes() { return known; }
std::span<const std::string_view> mode_names() { return names; }

}  // namespace attnscope
