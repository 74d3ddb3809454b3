// app/views/files: everything that brings files in and out: the menu at the top left, the dialog that finds
// files and names new ones, and the card that asks before one is written over.
#pragma once

#include "app/exports/export_choice.hpp"
#include "app/scene/scene.hpp"
#include "app/state/files_state.hpp"
#include "app/state/layout.hpp"

namespace attnscope {

/// The name of what is open, with the menu under it; at most `room` wide from `x` on.
void draw_file_menu(Scene&, const Box& bar, float x, float room);

/// Ctrl+O: the dialog that finds a file to open. Save under another name; Ctrl+Shift+S: a picture of a
/// region; numbers in a format: the same dialog, with what there is to choose above its list.
void open_file_dialog(Scene&);
void open_save_dialog(Scene&);
void open_picture_card(Scene&, PictureRegion);
void open_export_dialog(Scene&, NumberFormat);
void draw_file_dialog(Scene&, const Layout&);

/// What App::save() asks before it writes over another file.
void draw_overwrite_question(Scene&);

/// The card that asks for what a dump does not say, while it is open; the picture shows what was guessed.
void draw_dump_question(Scene&, const Layout&);
/// "guessed: causal, positions"; empty where nothing is.
std::string guessed_words(const Document&);
/// A chip with those words that opens the card, where there is room for it. Returns its width.
float draw_guess_chip(Scene&, float x, float y, float room);

/// Ctrl+C: the matrix that is looked at goes to the clipboard as tab-separated text; or the chosen cell
/// alone.
void copy_numbers(Scene&);
void copy_cell(Scene&);
/// What is looked at in plain English: head, cell, row, measures beside those of uniform attention, changes;
/// on the Model page of the chosen head. The screen stays; a page without a sentence says so.
void copy_sentence(Scene&);
/// The `attnscope` command that gives what is on screen goes to the clipboard; what it has no word for is
/// said.
void copy_command(Scene&);

/// Whether what is exported are numbers of the model on screen, not of the matrix in the focus.
bool is_of_model(const Scene&);
/// What would be copied or exported.
ExportSource export_source(const Scene&);

}  // namespace attnscope
