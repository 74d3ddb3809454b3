#include "app/shell/html_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/kit/draw/image.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/scene/picture.hpp"
#include "app/shell/app.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/document/mask.hpp"

namespace attnscope {
namespace {

// As wide as the page's column, at 1.5 times its pixels: sharp on high-resolution screens, and not too large.
constexpr float page_scale = 1.5f;
constexpr int step_page_width = 904, step_page_height = 700;  // logical pixels
constexpr int most_step_frames = 60, step_layout_frames = 3;

class StepDrawer {
 public:
  explicit StepDrawer(const App& app) : app_(app), host_(nullptr, app.last_frame().has_system_fonts) {
    app.prepare(still_, 1);
    still_.view.scale = page_scale;
    still_.figure = true;
    still_.view.presenter->on = false;
    LessonState& state = lesson_of(still_.view);
    state.answer = {};
    state.order = 0;  // so that pages do not depend on who makes them
    state.told = std::make_shared<ToldStep>();
  }

  /// The words and pictures of the step, with the answer revealed or not.
  ToldStep tell(bool revealed) {
    lesson_of(still_.view).answer.revealed = revealed;
    bool waits = false;
    for (int i = 0; i < step_layout_frames || (i < most_step_frames && waits); ++i) {
      frame();
      waits = app_.finish_numbers() || still_.textures.postponed() > 0;
    }
    return *lesson_of(still_.view).told;
  }

  std::string draw(ThemeName theme) {
    still_.view.theme = theme;
    tell(lesson_of(still_.view).answer.revealed);
    const std::optional<Box> box = box_of(PictureRegion::Focus, still_.layout, still_.view);
    if (!box) throw Error("There is nothing to draw yet.");
    const int width = static_cast<int>(box->w), height = static_cast<int>(box->h);
    const Framebuffer target(width, height);
    target.bind();
    host_.render_part(static_cast<int>(box->x), static_cast<int>(box->y), width, height);
    return encode_png(target.read());
  }

 private:
  void frame() {
    host_.build(static_cast<int>(step_page_width * page_scale),
                static_cast<int>(step_page_height * page_scale), 1e-4f,
                [&] { app_.draw_still(host_.fonts(), still_, nullptr); });
  }

  const App& app_;
  ImGuiHost host_;
  Still still_;
};

/// Puts the current Dear ImGui context back.
class ContextBefore {
 public:
  ContextBefore() : context_(ImGui::GetCurrentContext()) {}
  ~ContextBefore() { ImGui::SetCurrentContext(context_); }
  ContextBefore(const ContextBefore&) = delete;
  ContextBefore& operator=(const ContextBefore&) = delete;

 private:
  ImGuiContext* context_;
};

/// Whether the page offers the other heads; if the step asks something, one of them could give the answer
/// away.
bool offers_heads(const App& app, const ToldStep& told) {
  const auto step = static_cast<std::size_t>(lesson_of(app.view()).step);
  const std::vector<std::string>& shown = app.lessons().open()->lesson.steps[step].shown;
  return !told.question && std::ranges::find(shown, "head") != shown.end();
}

/// The weights of a side for the page: of the shown head, as in the window, or of all heads.
HtmlPage html_of_side(const App& app, const ToldSide& side, bool all_heads) {
  const ResultPtr& result =
      side.is_b && app.held().held_result() ? app.held().held_result()->result : app.shown();
  const LayerResult& layer = result->layer();
  Selection selection;
  selection.head = side.head;
  selection.cell = side.cell;
  HtmlPage page = html_of_layer(layer, MaskRule(layer.document, layer.trace), selection);
  if (!all_heads) page.heads = {std::move(page.heads[std::exchange(page.chosen, 0)])};
  page.log = focus_of(app.view()).log;
  page.light = weights_map(theme(ThemeName::Light), focus_of(app.view()).colours);
  page.dark = weights_map(theme(ThemeName::Dark), focus_of(app.view()).colours);
  return page;
}

}  // namespace

HtmlLessonStep draw_html_step(const App& app) {
  if (app.view().mode != Mode::Lessons || !app.lessons().open())
    throw Error("There is no lesson on screen whose steps could be printed.");
  const KeptTarget target;
  const ContextBefore context;
  StepDrawer drawer(app);
  HtmlLessonStep step;
  step.number = lesson_of(app.view()).step + 1;
  step.told = drawer.tell(false);
  // Interactive weights need a picture on paper alone; a screen needs one if there are none, or for the plot
  // above them.
  const bool on_screen = step.told.sides.empty() || step.told.plot_shape > 0;
  const auto picture = [&] {
    HtmlLessonPicture drawn;
    drawn.light = drawer.draw(ThemeName::Light);
    if (on_screen) drawn.dark = drawer.draw(ThemeName::Dark);
    return drawn;
  };
  step.picture = picture();
  step.revealed = step.told;
  if (step.told.question) {
    step.revealed = drawer.tell(true);
    step.answer = picture();
    if (step.answer.light == step.picture.light) step.answer = {};
  }
  const bool all_heads = offers_heads(app, step.told);
  for (const ToldSide& side : step.revealed.sides) step.sides.push_back(html_of_side(app, side, all_heads));
  return step;
}

}  // namespace attnscope
