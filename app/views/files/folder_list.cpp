// app/views/files: the entries of the folder, as rows that the mouse and the keyboard choose from.
#include <algorithm>
#include <array>
#include <string>

#include <imgui.h>

#include "app/files/file_kinds.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/row_list.hpp"
#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/dialog.hpp"
#include "core/text/letters.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr double letters_rest = 1;        // seconds after which letters start a new search
constexpr double worth_telling_of = 0.2;  // seconds; a shorter wait is not reported
constexpr std::int64_t rows_of_a_page = 10;

std::int64_t chosen_row(const FileDialog& dialog) {
  for (std::size_t i = 0; i < dialog.rows.size(); ++i)
    if (dialog.shown.entries[dialog.rows[i]].name == dialog.chosen) return static_cast<std::int64_t>(i);
  return -1;
}

void choose_row(FileDialog& dialog, std::int64_t row) {
  if (dialog.rows.empty()) return;
  const auto last = std::ssize(dialog.rows) - 1;
  const auto at = static_cast<std::size_t>(std::clamp<std::int64_t>(row, 0, last));
  dialog.chosen = dialog.shown.entries[dialog.rows[at]].name;
}

/// Selects the next name that begins with the letters typed so far; the same letter repeatedly goes through
/// all.
void look_for(FileDialog& dialog, const std::string& typed) {
  const double now = ImGui::GetTime();
  if (now - dialog.letters_at > letters_rest) dialog.letters.clear();
  dialog.letters_at = now;
  const bool again = dialog.letters == typed;
  if (!again) dialog.letters += typed;
  const auto begins = [&](const std::string& name) {
    if (name.size() < dialog.letters.size()) return false;
    return std::equal(dialog.letters.begin(), dialog.letters.end(), name.begin(), [](char a, char b) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
      return lower(a) == lower(b);
    });
  };
  const std::int64_t count = std::ssize(dialog.rows), from = std::max<std::int64_t>(0, chosen_row(dialog));
  for (std::int64_t step = again ? 1 : 0; step < count + (again ? 1 : 0); ++step) {
    const std::int64_t row = (from + step) % count;
    if (!begins(dialog.shown.entries[dialog.rows[static_cast<std::size_t>(row)]].name)) continue;
    return choose_row(dialog, row);
  }
}

/// A path can be begun in the list as well, by its first character.
void take_letters(FileDialog& dialog) {
  std::string typed;
  for (const ImWchar letter : ImGui::GetIO().InputQueueCharacters)
    if (letter >= 0x20 && letter != 0x7F) append_utf8(typed, static_cast<char32_t>(letter));
  if (typed.empty()) return;
  const bool begun = dialog.keyboard == DialogPart::Path;  // its field gets the keyboard in the next frame
  if (begun) {
    dialog.path_text += typed;
  } else if (typed.front() == '/' || typed.front() == '~') {
    dialog.path_text = typed;
    give_keyboard(dialog, DialogPart::Path);
    dialog.cursor_to_end = true;
  } else {
    look_for(dialog, typed);
  }
}

/// A small folder or sheet.
void draw_entry_mark(const Ui& ui, float x, float y, bool is_folder, Rgba ink) {
  if (is_folder) {
    ui.fill({x, y - ui.px(6), ui.px(7), ui.px(4)}, ink, ui.px(1));
    ui.fill({x, y - ui.px(4), ui.px(14), ui.px(10)}, ink, ui.px(2));
  } else {
    ui.frame({x + ui.px(2), y - ui.px(7), ui.px(10), ui.px(13)}, ink, std::max(1.f, ui.px(1)), ui.px(1));
  }
}

struct FolderColumns {
  float name, size, changed;  // left, right, right edge
};

FolderColumns columns_of(const Ui& ui, const Box& box) {
  const float changed = box.right() - ui.px(12);
  return {box.x + ui.px(34), changed - ui.px(140), changed};
}

/// The names of the columns; a click sorts by one, a second click reverses the order.
void draw_column_names(const Ui& ui, FileDialog& dialog, const Box& line) {
  const FolderColumns at = columns_of(ui, line);
  struct Column {
    const char* name;
    FolderOrder order;
    float x;
    Align align;
  };
  const std::array<Column, 3> columns{Column{"Name", FolderOrder::Name, at.name, Align::Left},
                                      Column{"Size", FolderOrder::Size, at.size, Align::Right},
                                      Column{"Changed", FolderOrder::Changed, at.changed, Align::Right}};
  for (const Column& column : columns) {
    const bool sorted = dialog.order == column.order;
    const std::string shown = std::string(column.name) + (sorted ? dialog.backwards ? "  ↑" : "  ↓" : "");
    const float wide = ui.text_width(shown, type::tick) + ui.px(8);
    const Box box{column.align == Align::Left ? column.x - ui.px(4) : column.x - wide + ui.px(4), line.y,
                  wide, line.h};
    const Ui::Touch touch = ui.touch((std::string("Order by ") + column.name).c_str(), box, false);
    ui.text(column.x, line.centre_y(), shown,
            {type::tick, touch.hovered ? ui.theme.text1 : ui.theme.text3, Ink::Regular, column.align});
    if (!touch.clicked) continue;
    dialog.backwards = sorted && !dialog.backwards;
    dialog.order = column.order;
    sort_rows(dialog);
  }
}

/// True if it was double-clicked.
bool draw_entry(Scene& scene, const FolderEntry& entry, const Box& row) {
  const Ui& ui = scene.ui;
  FileDialog& dialog = scene.view.files->dialog;
  const Ui::Touch touch = ui.touch(("entry " + printable(entry.name)).c_str(), row, false);
  const bool chosen = entry.name == dialog.chosen;
  if (chosen) {
    ui.fill(row, ui.theme.segment_on, ui.px(6));
    if (dialog.keyboard == DialogPart::List)
      ui.frame(row, ui.theme.query, std::max(1.f, std::floor(ui.scale())), ui.px(6));
  } else if (touch.hovered) {
    ui.fill(row, ui.theme.control_hover, ui.px(6));
  }
  const FolderColumns at = columns_of(ui, row);
  const bool good = entry.is_folder || dialog.task != FileTask::Open || can_open(dialog, entry);
  const Rgba ink = good ? ui.theme.text1 : ui.theme.text3;
  draw_entry_mark(ui, row.x + ui.px(10), row.centre_y(), entry.is_folder,
                  entry.is_folder ? ui.theme.query : ui.theme.text3);
  ui.text(at.name, row.centre_y(), own(printable(entry.name)),
          {type::label, ink, Ink::Regular, Align::Left, at.size - ui.px(90) - at.name});
  const TextStyle fact{type::tick, ui.theme.text3, Ink::Regular, Align::Right};
  if (!entry.is_folder) ui.text(at.size, row.centre_y(), bytes(static_cast<std::int64_t>(entry.bytes)), fact);
  ui.text(at.changed, row.centre_y(), day_and_time(entry.changed), fact);
  if (touch.clicked) {
    dialog.chosen = entry.name;
    dialog.keyboard = DialogPart::List;
    dialog.trouble.clear();
    if (dialog.task != FileTask::Open && !entry.is_folder) dialog.name = printable(entry.name);
  }
  return touch.hovered && ImGui::IsMouseDoubleClicked(0);
}

/// The text shown when there are no rows.
std::string_view empty_words(const FileDialog& dialog) {
  if (!dialog.shown.trouble.empty()) return dialog.shown.trouble;
  if (dialog.shown.entries.empty()) return "This folder is empty.";
  return "Nothing of this kind is here.";
}

}  // namespace

bool draw_folder_list(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  FileDialog& dialog = scene.view.files->dialog;
  ui.fill(box, ui.theme.canvas, ui.px(8));
  const float line = ui.px(26);
  draw_column_names(ui, dialog, {box.x, box.y + ui.px(2), box.w - ui.px(12), line});
  ui.horizontal(box.x, box.y + line + ui.px(2), box.w, ui.theme.hairline);
  const Box area{box.x + ui.px(8), box.y + line + ui.px(6), box.w - ui.px(28), box.h - line - ui.px(10)};
  if (dialog.reading.is_reading()) {
    if (dialog.reading.seconds() > worth_telling_of)
      ui.text(box.centre_x(), area.y + ui.px(24), "reading " + grouped(dialog.reading.count()) + " entries",
              {type::label, ui.theme.text2, Ink::Regular, Align::Centre});
    return false;
  }
  if (dialog.rows.empty()) {
    ui.paragraph(area.x + ui.px(16), area.y + ui.px(12), area.w - ui.px(32), empty_words(dialog),
                 {type::label, dialog.shown.trouble.empty() ? ui.theme.text2 : ui.theme.error});
    return false;
  }
  bool twice = false;
  const RowList rows(ui, "folder list", area, line, std::ssize(dialog.rows), dialog.first_row,
                     chosen_row(dialog));
  for (std::int64_t i = rows.first(); i < rows.last(); ++i)
    if (draw_entry(scene, dialog.shown.entries[dialog.rows[static_cast<std::size_t>(i)]], rows.row(i)))
      twice = true;
  return twice;
}

bool list_keys(FileDialog& dialog) {
  if (dialog.keyboard == DialogPart::Name) return false;
  take_letters(dialog);
  if (dialog.keyboard != DialogPart::List) return false;
  const std::int64_t row = chosen_row(dialog), last = std::ssize(dialog.rows) - 1;
  const bool ctrl = ImGui::GetIO().KeyCtrl, alt = ImGui::GetIO().KeyAlt;
  struct Step {
    ImGuiKey key;
    std::int64_t to;
  };
  const std::array<Step, 6> steps{Step{ImGuiKey_DownArrow, row + 1},
                                  Step{ImGuiKey_UpArrow, row - 1},
                                  Step{ImGuiKey_PageDown, row + rows_of_a_page},
                                  Step{ImGuiKey_PageUp, row - rows_of_a_page},
                                  Step{ImGuiKey_Home, 0},
                                  Step{ImGuiKey_End, last}};
  for (const Step& step : steps)
    if (!alt && ImGui::IsKeyPressed(step.key)) choose_row(dialog, step.to);
  if (ImGui::IsKeyPressed(ImGuiKey_Backspace) || (alt && ImGui::IsKeyPressed(ImGuiKey_UpArrow)))
    go_up(dialog);
  const bool to_path = ctrl && ImGui::IsKeyPressed(ImGuiKey_L, false);
  if (to_path || ImGui::IsKeyPressed(ImGuiKey_Tab, false)) {
    give_keyboard(dialog, dialog.task == FileTask::Open || to_path ? DialogPart::Path : DialogPart::Name);
    dialog.cursor_to_end = dialog.keyboard == DialogPart::Path;
  }
  return ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
}

bool can_open(const FileDialog& dialog, const FolderEntry& entry) {
  return can_be_opened(kind_of(entry)) || (dialog.takes_photos && is_photo(entry.name));
}

bool lets_through(const FileDialog& dialog, const FolderEntry& entry) {
  const bool all = dialog.filter + 1 == std::ssize(filter_names(dialog.task));
  if (all) return true;
  if (is_hidden(entry)) return false;
  if (entry.is_folder) return true;
  const FileKind kind = kind_of(entry);
  switch (dialog.task) {
    case FileTask::Open: break;
    case FileTask::Save: return kind == FileKind::Session;
    case FileTask::Picture: return kind == FileKind::Picture;
    case FileTask::Numbers: return kind == FileKind::Table || kind == FileKind::Tensors;
  }
  if (dialog.filter == 0) return can_open(dialog, entry);
  constexpr std::array<FileKind, 4> kinds{FileKind::Session, FileKind::Tensors, FileKind::Model,
                                          FileKind::Text};
  return kind == kinds[static_cast<std::size_t>(dialog.filter - 1)];
}

std::vector<std::string_view> filter_names(FileTask task) {
  switch (task) {
    case FileTask::Open: return {"Can be opened", "Sessions", "Tensors", "Models", "Texts", "All files"};
    case FileTask::Save: return {"Sessions", "All files"};
    case FileTask::Picture: return {"Pictures", "All files"};
    case FileTask::Numbers: break;
  }
  return {"Numbers", "All files"};
}

void sort_rows(FileDialog& dialog) {
  sort_entries(dialog.shown.entries, dialog.order, dialog.backwards);
  dialog.rows.clear();
  for (std::size_t i = 0; i < dialog.shown.entries.size(); ++i)
    if (lets_through(dialog, dialog.shown.entries[i])) dialog.rows.push_back(i);
}

}  // namespace attnscope
