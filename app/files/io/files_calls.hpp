// app/files/io: what files that come and go ask of the rest of the window, which they do not know: the App
// sets it when it makes them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "app/exports/drawn_picture.hpp"
#include "app/exports/grid_figure.hpp"
#include "app/exports/html/lesson_page.hpp"
#include "app/session/session.hpp"
#include "app/state/files_state.hpp"
#include "app/state/requests.hpp"
#include "core/engine/model/model_engine.hpp"

namespace attnscope {

struct OpeningCalls {
  /// Whether a page shows what lies there: a lesson, or the stream of a process. `is_whole`: no layer of it
  /// was asked for.
  std::function<bool(const std::filesystem::path&, bool is_whole)> is_taken;
  /// What is opened is shown elsewhere than on the page on screen.
  std::function<void()> leave_page;
  /// What is computed of a model, as it is looked at now.
  std::function<ModelWants()> model_wants;
  /// A model was opened, and is run next; it has run, and is on screen.
  std::function<void(Session&)> model_comes;
  std::function<void()> model_came;
};

struct SavingCalls {
  std::function<DrawnPicture(const PictureRequest&)> draw;
  std::function<std::shared_ptr<GridFigure>(const PictureRequest&)> draw_figure;
  std::function<HtmlLessonStep()> draw_html_step;
  /// Writes the numbers of the page on screen; false where it has none of its own.
  std::function<bool(const std::filesystem::path&)> save_table;
  std::function<void(const PictureRequest&)> begin_film;
  /// The film that is being drawn; empty: none.
  std::function<std::optional<FileOnItsWay>()> film_on_its_way;
};

}  // namespace attnscope
