// app/views/files: the parts of the dialog for files.
#pragma once

#include "app/state/files_state.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {

/// Reads a folder, which is shown when it has been read; `choose` is the entry selected then, else the first.
void go_to(FileDialog&, const std::filesystem::path& folder, std::string choose = {});
void go_up(FileDialog&);
/// The path that a typed text means in the shown folder.
std::filesystem::path meant_path(const FileDialog&, std::string_view typed);
/// The action of Return: opens, saves, or enters the selected folder.
void accept(Scene&);
/// A sentence that tells why a folder cannot be written to, for `error`, an errno.
std::string why_not_written(const std::filesystem::path& folder, int error);

/// The entries with their sizes and times. True if one was double-clicked.
bool draw_folder_list(Scene&, const Box&);
/// Gives the keyboard to a part of the dialog.
void give_keyboard(FileDialog&, DialogPart);
/// Handles arrows, Return, Backspace and letters while no field has the keyboard. True for Return.
bool list_keys(FileDialog&);
/// Whether the dialog can open it.
bool can_open(const FileDialog&, const FolderEntry&);
/// Whether the chosen filter shows it.
bool lets_through(const FileDialog&, const FolderEntry&);
/// The names of the task's filters.
std::vector<std::string_view> filter_names(FileTask);
void sort_rows(FileDialog&);

/// The options of the task: lines from y on; moves y below them.
void draw_dialog_options(Scene&, const Layout&, const Box& card, float& y);
/// The same for numbers in Model mode: tables and activations.
void draw_model_number_options(Scene&, const Box& card, float& y);
/// One line: the label of an option; returns the box for its control.
Box option_line(const Ui&, const Box& card, float& y, std::string_view shown);
/// The number of lines of the options.
int option_lines(const Scene&);
std::string model_numbers_name(const Scene&);
/// The file name that the program proposes.
std::string proposed_name(const Scene&);
/// A name that was never edited follows the options; an edited one keeps all but its extension.
void follow_choice(Scene&);
/// The path that was typed for a picture or numbers, with the extension of the chosen format, unless it has
/// that of another format that can be written here.
std::filesystem::path with_ending(const Scene&, std::filesystem::path path);
/// The format of a picture: the chosen one if there are several, else the only one.
PictureKind picture_kind(const Scene&);
/// The possible series of pictures: a knob, an experiment's values, a lesson's steps; None: there is none.
PictureSeries picture_series(const Scene&);
/// Its options: the knob, its ends and the number of pictures; or whether answers are included.
void draw_series_options(Scene&, const Box& line);
/// Whether a lesson is printed as a worksheet, as pages for the instructor or as a quiz.
bool is_print(const Scene&);
/// In place of a picture's size: the seed of a worksheet or a quiz. Returns its right end.
float draw_sheet(Scene&, const Box&);
/// In place of a picture's colours: the format of a quiz, or a few words.
void draw_print_format(Scene&, const Box& card, float& y);
/// The chosen knob with its ends. Throws Error with a sentence if the ends are wrong.
edit::Sweep chosen_sweep(const Scene&);
PictureRequest picture_request(const Scene&, std::filesystem::path path);

}  // namespace attnscope
