// app/views/files: the menu at the top left. Two columns: opening at the top, saving and exporting below.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/files/file_kinds.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/scene/page_facts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/files/menu_column.hpp"
#include "app/views/parts/title_words.hpp"
#include "app/views/watch/watch.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

void list_models(Scene& scene, MenuColumn& column, std::size_t shown) {
  const std::vector<ModelPlace>& models = scene.view.files->models;
  if (models.empty()) return;
  column.title("Models on this machine");
  for (std::size_t i = 0; i < std::min(shown, models.size()); ++i) {
    const ModelPlace& model = models[i];
    std::string note = own(model.family + (model.precision.empty() ? "" : " · " + model.precision) + " · " +
                           bytes(static_cast<std::int64_t>(model.bytes)));
    if (model.keeper == ModelKeeper::AttnScope) note = "comes with AttnScope";
    if (column.row({"model " + model.path.native(), own(model.name), note, false, model.is_known}))
      scene.requests.open = model.path;
  }
  if (models.size() > shown) column.remark(std::to_string(models.size() - shown) + " more.");
}

namespace {

void look_for_recent(FilesState& files) {
  for (RecentFile& file : files.recent) {
    std::error_code unknown;
    file.there = std::filesystem::exists(file.path, unknown);
  }
}

/// Documents that were closed with changes, the last one first.
void draw_closed(Scene& scene, MenuColumn& left) {
  constexpr std::size_t shown = 3;
  const std::vector<ClosedEntry>& closed = scene.view.files->closed;
  for (std::size_t i = 0; i < std::min(shown, closed.size()); ++i) {
    const std::string title = kept_title_words(printable(closed[i].title)),
                      time = day_and_time(closed[i].closed);
    const bool is_last = i == 0;
    const std::string label = is_last ? "Reopen last" : "closed " + std::to_string(i);
    const Tip tip{"Reopen last", {}, "What was closed with changes that are in no file."};
    if (left.row({label, is_last ? std::string_view("Reopen last") : std::string_view(title),
                  is_last ? std::string_view(title) : std::string_view(time)},
                 is_last ? tip : Tip{}))
      scene.requests.reopen = closed[i].path;
  }
}

/// What can be opened.
void draw_incoming(Scene& scene, MenuColumn& left, MenuColumn& right) {
  FilesState& files = *scene.view.files;
  left.title("Open");
  if (left.row({"Open a file", "Open a file…", "Ctrl+O"})) open_file_dialog(scene);
  if (left.row({"Watch a process", "Watch a Python process…", {}})) show_watch(scene);
  draw_closed(scene, left);
  if (files.recent.empty())
    left.remark("Or drop a file anywhere on the window: a text, tensors, a session, a model.");
  for (const RecentFile& file : files.recent) {
    const std::string name = own(file.path.filename().native()),
                      folder = own(file.path.parent_path().native());
    if (left.row({"recent " + file.path.native(), name,
                  file.there ? std::string_view(folder) : "not there any more", false, file.there}))
      scene.requests.open = file.path;
  }
  list_models(scene, left, 8);
  right.title("New from an example");
  for (const Example& example : scene.examples)
    if (right.row({example.name, inner(example.name), {}, scene.document.title == example.name}))
      scene.requests.open = example.path;
}

void draw_pictures(Scene& scene, MenuColumn& column) {
  const PageFacts* const page = page_facts_of(scene.view.mode);
  const std::string_view middle = page != nullptr && !page->menu_picture.empty() ? page->menu_picture
                                  : is_of_model(scene) ? "Picture of all heads, or the screen…"
                                                       : "Picture of the heatmap…";
  if (column.row({"Picture of the middle", middle, "Ctrl+Shift+S"}))
    open_picture_card(scene, PictureRegion::Focus);
  if (scene.view.mode == Mode::Explore && column.row({"Picture of the plots", "Picture of the plots…", {}}))
    open_picture_card(scene, PictureRegion::Signals);
  if (column.row({"Picture of the window", "Picture of the window…", {}}))
    open_picture_card(scene, PictureRegion::Window);
}

/// Exports of the model on screen.
void draw_model_exports(Scene& scene, MenuColumn& right) {
  right.fact(own(scene.model->within.model->name));
  if (right.row(
          {"Export CSV", "Tables of this screen…", "CSV"},
          {"Tables", {}, "Numbers of what is on the screen, a line each, for a spreadsheet or a script."}))
    open_export_dialog(scene, NumberFormat::Csv);
  if (right.row({"Export tensors", "Activations…", "safetensors"},
                {"Activations",
                 {},
                 "What every layer computed on this text, under the names of TransformerLens' hook points."}))
    open_export_dialog(scene, NumberFormat::Tensors);
}

/// Exports of the matrix on screen.
void draw_matrix_exports(Scene& scene, MenuColumn& right) {
  right.fact(export_choice(export_source(scene)).name);
  if (right.row({"Export CSV", "Table…", "CSV"},
                {"Table", {}, "A table with the labels of its rows and columns, for a spreadsheet."}))
    open_export_dialog(scene, NumberFormat::Csv);
  if (right.row({"Export NPY", "Numbers alone…", "NPY"},
                {"Numbers alone", {}, "The numbers alone as float32, for NumPy."}))
    open_export_dialog(scene, NumberFormat::Npy);
  if (right.row({"Export tensors", "All stages…", "safetensors"},
                {"All stages", {}, "Every tensor of the computation under its name, as .safetensors."}))
    open_export_dialog(scene, NumberFormat::Tensors);
}

/// Saving and exporting; below "Export" first the object, then the format.
void draw_outgoing(Scene& scene, MenuColumn& left, MenuColumn& right) {
  left.title("Save");
  if (left.row({"Save", "Save", "Ctrl+S"},
               {"Save",
                {},
                "The document, how it is looked at and what is held, where it was saved last.",
                "Ctrl+S"}))
    scene.requests.save.emplace();
  if (left.row({"Save as", "Save under a name…", {}})) open_save_dialog(scene);
  draw_pictures(scene, left);
  right.title("Export");
  is_of_model(scene) ? draw_model_exports(scene, right) : draw_matrix_exports(scene, right);
  if (right.row({"Copy numbers", "Copy the numbers", "Ctrl+C"},
                {"Copy the numbers",
                 {},
                 "The matrix in the focus as tab-separated text, for a spreadsheet.",
                 "Ctrl+C"}))
    copy_numbers(scene);
  if (right.row({"Copy cell", "Copy the cell's number", {}},
                {"Copy the cell's number", {}, "With every digit that it has."}))
    copy_cell(scene);
  if (right.row({"Copy command", "Copy as command line", {}},
                {"Copy as command line",
                 {},
                 "The attnscope command that gives what is on screen, for a script or a notebook."}))
    copy_command(scene);
}

void draw_menu(Scene& scene, const Box& at) {
  const Ui& ui = scene.ui;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float gap = ui.px(12), wide = (at.w - 2 * ui.px(8) - gap) / 2;
  MenuColumn left(ui, top.x, top.y, wide), right(ui, top.x + wide + gap, top.y, wide);
  draw_incoming(scene, left, right);
  const float middle = std::max(left.bottom(), right.bottom()) + ui.px(8);
  ui.vertical(top.x + wide + gap / 2, top.y, middle - top.y, ui.theme.hairline);
  ui.horizontal(top.x, middle, at.w - 2 * ui.px(8), ui.theme.hairline);
  MenuColumn save(ui, top.x, middle + ui.px(6), wide), out(ui, top.x + wide + gap, middle + ui.px(6), wide);
  draw_outgoing(scene, save, out);
  const float bottom = std::max(save.bottom(), out.bottom());
  ui.vertical(top.x + wide + gap / 2, middle, bottom - middle, ui.theme.hairline);
  ImGui::SetCursorScreenPos({top.x, bottom});
  ImGui::Dummy({1, 1});
}

/// An example has its name in the menu.
std::string chip_title(const Scene& scene) {
  const std::string& title = scene.document.title;
  const auto is_it = [&title](const Example& example) { return example.name == title; };
  return std::ranges::any_of(scene.examples, is_it) ? inner(title) : title_words(scene.document);
}

}  // namespace

void draw_file_menu(Scene& scene, const Box& bar, float x, float room) {
  const Ui& ui = scene.ui;
  constexpr const char* label = "File";
  const std::filesystem::path& file = scene.view.files->file;
  std::string title = !file.empty()                  ? own(printable(file.filename().native()))
                      : scene.document.title.empty() ? "untitled"
                                                     : chip_title(scene);
  if (scene.edited) title += " · edited";
  if (const std::string other = name_on_screen(scene.view.mode, scene); !other.empty()) title = other;
  if (is_watching(scene.view)) title = watched_title(*scene.view.watch);
  const float width = std::min({ui.text_width(title, type::label) + ui.px(44), ui.px(360), room});
  const Box box{x, bar.centre_y() - ui.px(14), std::max(width, 0.f), ui.px(28)};
  const std::string path = own(printable(file.native()));
  const bool clicked =
      width >= ui.px(48) &&
      drop_box(ui, label, box, title,
               {"Open, save, export", path,
                "Examples, files, pictures, numbers; or drop a file on the window.", "Ctrl+O"});
  if (clicked) {
    look_for_recent(*scene.view.files);
    scene.requests.look_for_closed = true;
    ImGui::OpenPopup(label);
  }
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float wide = std::min(ui.px(720), screen.x - ui.px(16));
  const Box at{std::clamp(box.x, ui.px(8), std::max(ui.px(8), screen.x - wide - ui.px(8))),
               box.bottom() + ui.px(4), wide, 0};
  ImGui::SetNextWindowPos(at.min());
  ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, std::max(ui.px(80), screen.y - at.y - ui.px(8))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(8), ui.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, std::max(1.f, std::floor(ui.scale())));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
  if (ImGui::BeginPopup(label)) {
    if (is_watching(scene.view)) {
      menu_title(ui, "Processes that send their attention");
      list_watched_processes(scene);
    }
    draw_menu(scene, at);
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(4);
}

}  // namespace attnscope
