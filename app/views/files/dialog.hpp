// app/views/files: the parts of the dialog for files.
#pragma once

#include "app/state/files_state.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {

/// Reads a folder, which is shown once it is there; `choose` is the entry chosen then, else the first.
void go_to(FileDialog&, const std::filesystem::path& folder, std::string choose = {});
void go_up(FileDialog&);
/// What a path that was typed means in the folder that is shown.
std::filesystem::path meant_path(const FileDialog&, std::string_view typed);
/// Opens, saves, or goes into the folder that is chosen: what Return does.
void accept(Scene&);
/// Why nothing can be written into a folder: a sentence for `error`, an errno.
std::string why_not_written(const std::filesystem::path& folder, int error);

/// The entries with their sizes and times. True when one was clicked twice.
bool draw_folder_list(Scene&, const Box&);
/// Gives the keyboard to a part of the dialog.
void give_keyboard(FileDialog&, DialogPart);
/// Arrows, Return, Backspace and letters, while no field has the keyboard. True for Return.
bool list_keys(FileDialog&);
/// Whether the dialog can open it.
bool can_open(const FileDialog&, const FolderEntry&);
/// Whether the filter that is chosen shows it.
bool lets_through(const FileDialog&, const FolderEntry&);
/// What the filters of the task are called.
std::vector<std::string_view> filter_names(FileTask);
void sort_rows(FileDialog&);

/// What else there is to choose: lines from y on, which goes below them.
void draw_dialog_options(Scene&, const Layout&, const Box& card, float& y);
/// The same of numbers in Model mode: tables and activations.
void draw_model_number_options(Scene&, const Box& card, float& y);
/// One line: what is chosen, and the room for its control.
Box option_line(const Ui&, const Box& card, float& y, std::string_view shown);
/// How many lines those are.
int option_lines(const Scene&);
std::string model_numbers_name(const Scene&);
/// The name that the file would be given by us.
std::string proposed_name(const Scene&);
/// A name that was never typed over follows what is chosen; another keeps all but its ending.
void follow_choice(Scene&);
/// The path that was typed for a picture or numbers, with the ending of what is chosen unless it has one of
/// another kind of picture or numbers that can be written here.
std::filesystem::path with_ending(const Scene&, std::filesystem::path path);
/// As what a picture is saved: what was chosen, where there is more than one to draw.
PictureKind picture_kind(const Scene&);
/// What there is to go through: a knob, an experiment's values, a lesson's steps; None: nothing.
PictureSeries picture_series(const Scene&);
/// What of it: which knob is turned from where to where in how many pictures; with the answers or without.
void draw_series_options(Scene&, const Box& line);
/// The knob that is chosen there. Throws Error with what is wrong about its ends.
edit::Sweep chosen_sweep(const Scene&);
PictureRequest picture_request(const Scene&, std::filesystem::path path);

}  // namespace attnscope
