// app/views/files: the dialog that finds files and names new ones. It is the same for opening, saving,
// pictures and numbers; Return presses its button at the lower right, Esc closes it.
#include "app/views/files/dialog.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <string>
#include <unistd.h>
#include <utility>

#include <imgui.h>
#include <imgui_internal.h>

#include "app/files/paths.hpp"
#include "app/kit/widgets/modal_card.hpp"
#include "app/state/files_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr int focus_frames = 3;
constexpr const char* dialog_popup = "File dialog";
constexpr std::chrono::milliseconds at_once(30);  // a usual folder is read within the frame that requests it

struct TaskWords {
  std::string_view title;
  const char* order;  // the text of the button
};
/// In the order of the enumerators.
constexpr std::array<TaskWords, 4> task_words{{{"Open a file", "Open"},
                                               {"Save under a name", "Save"},
                                               {"Save a picture", "Save picture"},
                                               {"Export numbers", "Export"}}};

const TaskWords& words_of(FileTask task) { return task_words[static_cast<std::size_t>(task)]; }

/// The first folder: that of the open document, else where the program was started, else the home folder.
fs::path first_folder(const FilesState& files) {
  std::error_code none;
  const bool beside = files.dialog.task == FileTask::Save && !files.dialog.keeps_name;
  for (const fs::path& folder : {beside ? files.file.parent_path() : fs::path(), files.dialog.folder,
                                 files.file.parent_path(), fs::current_path(none)})
    if (folder.is_absolute() && folder != folder.root_path() && fs::is_directory(folder, none)) return folder;
  return home_directory();
}

void begin(Scene& scene) {
  FileDialog& dialog = scene.view.files->dialog;
  dialog.trouble.clear();
  dialog.filter = 0;
  const fs::path folder = first_folder(*scene.view.files);
  if (!std::exchange(dialog.keeps_name, false)) dialog.name = dialog.suggested = proposed_name(scene);
  go_to(dialog, folder);
  give_keyboard(dialog, dialog.task == FileTask::Open ? DialogPart::List : DialogPart::Name);
  dialog.letters.clear();
  dialog.is_new = true;
}

void take_reading(FileDialog& dialog) {
  const bool is_new = dialog.reading.seconds() < 0.001 * static_cast<double>(at_once.count());
  if (!dialog.reading.wait(is_new ? at_once : std::chrono::milliseconds(0))) return;
  dialog.shown = dialog.reading.folder();
  dialog.reading = {};
  sort_rows(dialog);
  dialog.first_row = 0;
  const auto is_there = [&](std::size_t i) { return dialog.shown.entries[i].name == dialog.chosen; };
  if (std::none_of(dialog.rows.begin(), dialog.rows.end(), is_there))
    dialog.chosen = dialog.rows.empty() || dialog.task != FileTask::Open
                        ? ""
                        : dialog.shown.entries[dialog.rows.front()].name;
}

const FolderEntry* chosen_entry(const FileDialog& dialog) {
  for (const std::size_t i : dialog.rows)
    if (dialog.shown.entries[i].name == dialog.chosen) return &dialog.shown.entries[i];
  return nullptr;
}

void leave_dialog(FileDialog& dialog) {
  dialog.reading = {};
  dialog.shown = {};
  dialog.rows.clear();
  ImGui::CloseCurrentPopup();
}

/// Shows why something cannot be done; the keyboard stays in its field.
void refuse(FileDialog& dialog, std::string why) {
  dialog.trouble = std::move(why);
  give_keyboard(dialog, dialog.keyboard);
}

void write_to(Scene& scene, const fs::path& typed) {
  FileDialog& dialog = scene.view.files->dialog;
  std::error_code unknown;
  if (fs::is_directory(typed, unknown)) {
    dialog.name = dialog.suggested;
    give_keyboard(dialog, DialogPart::Name);
    return go_to(dialog, typed);
  }
  const fs::path path = typed.has_filename() ? with_ending(scene, typed) : typed;
  const fs::path folder = path.parent_path();
  if (!fs::is_directory(folder, unknown)) {
    refuse(dialog, "There is no folder " + in_quotes(folder.native()) + ".");
  } else if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(dialog, why_not_written(folder, errno));
  } else {
    dialog.folder = folder;
    try {
      if (dialog.task == FileTask::Picture)
        scene.requests.picture = picture_request(scene, path);
      else
        scene.requests.save = path;
      leave_dialog(dialog);
    } catch (const Error& wrong) {
      refuse(dialog, wrong.what());
    }
  }
}

void open_at(Scene& scene, const fs::path& path) {
  FileDialog& dialog = scene.view.files->dialog;
  std::error_code unknown;
  // A model's folder is opened as a model; other files in it can be reached by their path.
  if (fs::is_directory(path, unknown) && !(dialog.task == FileTask::Open && is_model_path(path)))
    return go_to(dialog, path);
  if (!fs::exists(path, unknown)) return refuse(dialog, "There is no file " + in_quotes(path.native()) + ".");
  dialog.folder = path.parent_path();
  scene.requests.open = path;
  leave_dialog(dialog);
}

/// Dear ImGui drops the characters typed in the frame in which a field gets the keyboard. They are queued for
/// the next frame, before the characters that wait there: input faster than frames keeps its order.
void type_again(const ImVector<ImWchar>& typed) {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  for (int i = typed.Size; i-- > 0;) {
    ImGuiInputEvent event;
    event.Type = ImGuiInputEventType_Text;
    event.Source = ImGuiInputSource_Keyboard;
    event.EventId = context.InputEventsNextEventId++;
    event.Text.Char = typed[i];
    context.InputEventsQueue.push_front(event);
  }
}

/// A field of the dialog. True when Return was pressed in it.
bool draw_field(const Ui& ui, FileDialog& dialog, DialogPart part, const char* label, const Box& box,
                std::string& text, std::string_view placeholder) {
  if (dialog.keyboard_moves == focus_frames && dialog.keyboard == part) ImGui::SetKeyboardFocusHere();
  const ImVector<ImWchar> typed = ImGui::GetIO().InputQueueCharacters;
  bool* to_end = part == DialogPart::Path ? &dialog.cursor_to_end : nullptr;
  const bool entered = path_field(ui, label, box, text, placeholder, dialog.folder, to_end);
  const bool active = ImGui::IsItemActive();
  if (ImGui::IsItemActivated()) type_again(typed);
  if (active || entered) dialog.keyboard = part;
  dialog.field_active = dialog.field_active || active;
  return entered;
}

/// The buttons for up and home, and the path of the folder. True for Return.
bool draw_path_line(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  FileDialog& dialog = scene.view.files->dialog;
  const auto width_of = [&](const char* label) {
    return ui.text_width(label, type::label, Ink::Medium) + ui.px(24);
  };
  const Box up{line.x, line.y, width_of("Up"), line.h},
      home{up.right() + ui.px(6), line.y, width_of("Home folder"), line.h};
  if (button(ui, "Up", up, {"Up", {}, "To the folder that this one is in.", "Backspace"})) go_up(dialog);
  if (button(ui, "Home folder", home, {"Home folder", {}, "To your own folder."}))
    go_to(dialog, home_directory());
  const float left = home.right() + ui.px(8);
  return draw_field(ui, dialog, DialogPart::Path, "##path", {left, line.y, line.right() - left, line.h},
                    dialog.path_text, "Path; Tab completes it");
}

/// True for Return.
bool draw_name_line(Scene& scene, const Box& card, float y) {
  const Ui& ui = scene.ui;
  FileDialog& dialog = scene.view.files->dialog;
  const float pad = ui.px(20), label = ui.px(84);
  const Box box{card.x + pad + label, y, card.w - 2 * pad - label, ui.px(30)};
  ui.text(card.x + pad, box.centre_y(), "Name", {type::label, ui.theme.text2});
  const bool entered =
      draw_field(ui, dialog, DialogPart::Name, "##name", box, dialog.name, "a name; Tab completes it");
  if (!entered && dialog.keyboard == DialogPart::Name && ImGui::IsKeyPressed(ImGuiKey_DownArrow)) {
    ImGui::ClearActiveID();
    dialog.field_active = false;
    give_keyboard(dialog, DialogPart::List);
    if (dialog.chosen.empty() && !dialog.rows.empty())
      dialog.chosen = dialog.shown.entries[dialog.rows.front()].name;
  }
  return entered;
}

/// Filters at the left, the two buttons at the right. True if the one that accepts was pressed.
bool draw_footer(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  FileDialog& dialog = scene.view.files->dialog;
  const char* order = words_of(dialog.task).order;
  const auto width_of = [&](const char* label) {
    return ui.text_width(label, type::label, Ink::Medium) + ui.px(32);
  };
  const float wide = std::max(ui.px(88), width_of(order)), other = width_of("Cancel");
  const Box yes{line.right() - wide, line.y, wide, line.h};
  const Box no{yes.x - ui.px(8) - other, line.y, other, line.h};
  const std::vector<std::string_view> filters = filter_names(dialog.task);
  float wanted = 0;
  for (const std::string_view name : filters) wanted = std::max(wanted, ui.text_width(name, type::tick));
  wanted = (wanted + ui.px(16)) * static_cast<float>(filters.size());
  const Box filter{line.x, line.y, std::min(wanted, no.x - ui.px(16) - line.x), line.h};
  if (filter.w > ui.px(80))
    if (const auto picked =
            segments(ui, "Show", filter, filters, dialog.filter, {}, {.text_size = type::tick})) {
      dialog.filter = *picked;
      dialog.first_row = 0;
      sort_rows(dialog);
    }
  if (button(ui, "Cancel", no, {"Cancel", {}, "Nothing happens.", "Esc"})) leave_dialog(dialog);
  ui.frame(yes.grown(ui.px(1)), ui.theme.query, std::max(1.f, std::floor(ui.scale())), ui.px(7));
  if (!button(ui, order, yes, {order, {}, "What is chosen or named here.", "Enter"})) return false;
  if (dialog.task != FileTask::Open) dialog.keyboard = DialogPart::Name;
  return true;
}

void draw_dialog(Scene& scene, const Layout& layout, const Box& card) {
  const Ui& ui = scene.ui;
  FileDialog& dialog = scene.view.files->dialog;
  const bool saves = dialog.task != FileTask::Open;
  const float pad = ui.px(20);
  const Box inner{card.x + pad, card.y, card.w - 2 * pad, card.h};
  dialog.field_active = false;
  take_reading(dialog);
  float y = card.y + ui.px(14);
  ui.text(inner.x, y + ui.px(12), words_of(dialog.task).title, {type::title, ui.theme.text1, Ink::Semibold});
  y += ui.px(34);
  draw_dialog_options(scene, layout, card, y);
  bool accepted = draw_path_line(scene, {inner.x, y, inner.w, ui.px(30)});
  y += ui.px(38);
  const Box footer{inner.x, card.bottom() - ui.px(16) - ui.px(30), inner.w, ui.px(30)};
  float bottom = footer.y - ui.px(12);
  if (saves) {
    bottom -= ui.px(40);
    if (draw_name_line(scene, card, bottom + ui.px(6))) accepted = true;
  }
  if (!dialog.trouble.empty()) {
    const TextStyle style{type::label, ui.theme.error};
    const float high = ui.paragraph_height(inner.w, dialog.trouble, type::label);
    bottom -= high + ui.px(4);
    ui.paragraph(inner.x, bottom, inner.w, dialog.trouble, style);
    bottom -= ui.px(4);
  }
  if (bottom - y > ui.px(64) && draw_folder_list(scene, {inner.x, y, inner.w, bottom - y})) accepted = true;
  if (draw_footer(scene, footer)) accepted = true;
  if (dialog.keyboard_moves > 0) {
    --dialog.keyboard_moves;
  } else if (!accepted && dialog.keyboard != DialogPart::List && !dialog.field_active) {
    dialog.keyboard = DialogPart::List;  // its field was left
  }
  if (std::exchange(dialog.is_new, false)) return;
  // Return in a number's field belongs to that field.
  const bool types_number = ImGui::GetIO().WantTextInput && !dialog.field_active;
  if (!accepted && !dialog.field_active && !types_number && list_keys(dialog)) accepted = true;
  if (accepted) accept(scene);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) leave_dialog(dialog);
}

void open_dialog(Scene& scene, FileTask task) {
  scene.view.files->dialog.task = task;
  scene.view.files->dialog.opens = true;
}

}  // namespace

void open_file_dialog(Scene& scene) {
  const ModelContext& within = scene.document.within.read();
  scene.view.files->dialog.takes_photos = within && within.model->model->spec.image;
  open_dialog(scene, FileTask::Open);
}
void open_save_dialog(Scene& scene) { open_dialog(scene, FileTask::Save); }
void open_picture_card(Scene& scene, PictureRegion region) {
  // The main part of a model's first screen are its heads.
  const bool is_grid = region == PictureRegion::Focus && is_of_model(scene) &&
                       model_look_of(scene.view).screen == ModelScreen::Heads;
  scene.view.files->region = is_grid ? PictureRegion::Grid : region;
  open_dialog(scene, FileTask::Picture);
}
void open_export_dialog(Scene& scene, NumberFormat format) {
  scene.view.files->numbers = format;
  open_dialog(scene, FileTask::Numbers);
}

void give_keyboard(FileDialog& dialog, DialogPart part) {
  dialog.keyboard = part;
  dialog.keyboard_moves = focus_frames;
}

void go_to(FileDialog& dialog, const fs::path& folder, std::string choose) {
  dialog.folder = folder.lexically_normal();
  if (!dialog.folder.has_filename() && dialog.folder != dialog.folder.root_path())
    dialog.folder = dialog.folder.parent_path();  // "/a/b/" becomes "/a/b"
  dialog.path_text = dialog.folder.native();
  if (!dialog.path_text.ends_with('/')) dialog.path_text += '/';
  dialog.chosen = std::move(choose);
  dialog.trouble.clear();
  dialog.letters.clear();
  dialog.shown = {};
  dialog.rows.clear();
  dialog.reading = dialog.reader->read(dialog.folder);
}

void go_up(FileDialog& dialog) {
  const fs::path from = dialog.folder;
  if (from.has_parent_path() && from != from.parent_path())
    go_to(dialog, from.parent_path(), from.filename().native());
  dialog.keyboard = DialogPart::List;
}

std::string why_not_written(const fs::path& folder, int error) {
  return error == EROFS
             ? "Nothing can be written into " + in_quotes(folder.native()) + ": its file system is read-only."
             : "Nothing can be written into " + in_quotes(folder.native()) + ": it is not yours to write to.";
}

fs::path meant_path(const FileDialog& dialog, std::string_view typed) {
  return (dialog.folder / typed_path(typed)).lexically_normal();
}

void accept(Scene& scene) {
  FileDialog& dialog = scene.view.files->dialog;
  const bool opens = dialog.task == FileTask::Open;
  dialog.trouble.clear();
  if (dialog.keyboard == DialogPart::Path) {
    if (typed_path(dialog.path_text).empty()) return;
    const fs::path path = meant_path(dialog, dialog.path_text);
    std::error_code unknown;
    const bool is_folder = fs::is_directory(path, unknown);
    if (is_folder) give_keyboard(dialog, opens ? DialogPart::List : DialogPart::Name);
    return opens || is_folder ? open_at(scene, path) : write_to(scene, path);
  }
  const FolderEntry* entry = dialog.keyboard == DialogPart::List ? chosen_entry(dialog) : nullptr;
  if (entry && (opens || entry->is_folder)) return open_at(scene, dialog.folder / entry->name);
  if (opens) return;
  if (entry) dialog.name = entry->name;
  if (!typed_path(dialog.name).empty()) write_to(scene, meant_path(dialog, dialog.name));
}

void draw_file_dialog(Scene& scene, const Layout& layout) {
  const Ui& ui = scene.ui;
  FileDialog& dialog = scene.view.files->dialog;
  if (std::exchange(dialog.opens, false)) {
    begin(scene);
    ImGui::OpenPopup(dialog_popup);
  }
  if (!ImGui::IsPopupOpen(dialog_popup)) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float more = ui.px(36) * static_cast<float>(option_lines(scene));
  const float width = std::min(ui.px(760), screen.x - ui.px(16)),
              height = std::min(ui.px(540) + more, screen.y - ui.px(16));
  const Box card{std::round((screen.x - width) / 2), std::round((screen.y - height) * 0.4f), width, height};
  modal_card(ui, dialog_popup, card, [&] { draw_dialog(scene, layout, card); });
}

}  // namespace attnscope
