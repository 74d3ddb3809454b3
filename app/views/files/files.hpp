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

/// Ctrl+C: the matrix that is looked at goes to the clipboard as tab-separated text; or the chosen cell
/// alone.
void copy_numbers(Scene&);
void copy_cell(Scene&);

}  // namespace attnscope
