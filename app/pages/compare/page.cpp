#include "app/pages/compare/page.hpp"

#include "app/pages/compare/parts.hpp"
#include "app/shell/acts.hpp"
#include "app/state/compare_state.hpp"

namespace attnscope {
namespace {

constexpr PageFacts compare_facts{
    .mode = Mode::Compare,
    .name = "Compare",
    .tip = {"Compare", "now, held, now − held", "What is shown beside what was held.", "F4"},
    .open = {Action::Group::Look,
             "Compare, or back from it in Model",
             ImGuiKey_F4,
             act::toggle_compare,
             false,
             {},
             false,
             {},
             "compare_page"},
    .show = act::show_compare,
    .picture = "Comparison",
    .picture_file = "comparison",
    .menu_picture = "Picture of the comparison…"};

}  // namespace

const PageFacts& Compare::facts() const { return compare_facts; }

void Compare::draw(Scene& scene, const Box& box) const {
  scene.result.is_long() ? draw_long_compare(scene, box) : draw_compare(scene, box);
}

PageRow compare_page() {
  return {&compare_facts, [] { return PageState("compare", CompareState()); },
          [](const PageSupplies&) -> std::unique_ptr<Page> { return std::make_unique<Compare>(); }};
}

}  // namespace attnscope
