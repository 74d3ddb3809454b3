// app/views/files: opening and saving: the menu at the top left, the dialog that finds files and names new
// ones, and the card that asks before a file is overwritten.
#pragma once

#include "app/exports/export_choice.hpp"
#include "app/scene/scene.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/layout.hpp"

namespace attnscope {

/// The name of the open document, with the menu under it; from `x` on, at most `room` wide.
void draw_file_menu(Scene&, const Box& bar, float x, float room);

/// Ctrl+O: the dialog that finds a file to open. Save under another name; Ctrl+Shift+S: a picture of a
/// region; numbers in a format: the same dialog with its options above the list.
void open_file_dialog(Scene&);
void open_save_dialog(Scene&);
void open_picture_card(Scene&, PictureRegion);
void open_export_dialog(Scene&, NumberFormat);
void draw_file_dialog(Scene&, const Layout&);

/// App::save()'s question before it overwrites another file.
void draw_overwrite_question(Scene&);

/// The card that asks for facts that a dump does not contain, while it is open; the picture shows the
/// guesses.
void draw_dump_question(Scene&, const Layout&);
/// "guessed: causal, positions"; empty if nothing is guessed.
std::string guessed_words(const Document&);
/// A chip with those words that opens the card, if there is room for it. Returns its width.
float draw_guess_chip(Scene&, float x, float y, float room);

/// Ctrl+C: copies the matrix on screen to the clipboard as tab-separated text; or only the chosen cell.
void copy_numbers(Scene&);
void copy_cell(Scene&);
/// Copies a description in plain English sentences: head, cell, row, measures beside those of uniform
/// attention, changes; on the Model page for the chosen head. The screen does not change; a page without a
/// sentence says so.
void copy_sentence(Scene&);
/// Copies the `attnscope` command that computes what is on screen; a notice names what the command cannot
/// express.
void copy_command(Scene&);

/// Whether an export contains numbers of the model on screen, not of the matrix in the focus.
bool is_of_model(const Scene&);
/// The source of a copy or export.
ExportSource export_source(const Scene&);

}  // namespace attnscope
