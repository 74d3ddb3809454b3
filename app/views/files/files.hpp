// app/views/files: everything that brings files in and out: the menu at the top left, and the card that saves
// a picture.
#pragma once

#include "app/layout.hpp"
#include "app/scene.hpp"

namespace attnscope {

/// The title of what is open, with the menu under it; at most `room` wide from `x` on.
void draw_file_menu(Scene&, const Box& bar, float x, float room);
/// Ctrl+O: the menu, with the keyboard in the field for a path.
void open_file_menu(Scene&);

/// Ctrl+Shift+S: the card that saves a picture of a region.
void open_picture_card(Scene&, PictureRegion);
void draw_picture_card(Scene&, const Layout&);

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

}  // namespace attnscope
