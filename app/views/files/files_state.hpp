// app/views/files: what is typed into the file menu and into the card that saves a picture, and which of them
// opens. Of the moment: nothing to save.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/requests.hpp"

namespace attnscope {

struct RecentFile {
  std::filesystem::path path;
  bool there = true;  // looked up when the menu opens
};

struct FilesState {
  std::string open_path, save_path;  // what the menu's two fields hold
  std::vector<RecentFile> recent;    // newest first
  bool menu_opens = false;           // in this frame, with the keyboard in the first field

  bool picture_opens = false;  // in this frame
  PictureRegion region = PictureRegion::Focus;
  bool vector = false;  // SVG instead of PNG
  int scale = 2;
  std::string picture_path;
};

}  // namespace attnscope
