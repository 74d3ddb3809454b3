// app/files/io: calls from opening and saving to the rest of the window, which they do not know; set by the
// App when it makes them.
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
  /// Whether a page takes the path: a lesson, or the stream of a process. `is_whole`: no layer of it was
  /// asked for.
  std::function<bool(const std::filesystem::path&, bool is_whole)> is_taken;
  /// Leaves the page on screen, which does not show what is opened.
  std::function<void()> leave_page;
  /// What to compute of a model for the current view.
  std::function<ModelWants()> model_wants;
  /// model_comes: a model was opened and is run next. model_came: it has run and is on screen.
  std::function<void(Session&)> model_comes;
  std::function<void()> model_came;
};

struct SavingCalls {
  std::function<DrawnPicture(const PictureRequest&)> draw;
  std::function<std::shared_ptr<GridFigure>(const PictureRequest&)> draw_figure;
  std::function<HtmlLessonStep()> draw_html_step;
  /// Writes the table of the page on screen; false if the page has none of its own.
  std::function<bool(const std::filesystem::path&)> save_table;
  std::function<void(const PictureRequest&)> begin_film;
  /// The film that is being drawn; empty: none.
  std::function<std::optional<FileOnItsWay>()> film_on_its_way;
};

}  // namespace attnscope
