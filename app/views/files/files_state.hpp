// app/views/files: what is typed into the file menu and into the card that saves a picture, and which of them
// opens. Of the moment: nothing to save.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/requests.hpp"
#include "core/files/open.hpp"

namespace attnscope {

struct RecentFile {
  std::filesystem::path path;
  bool there = true;  // looked up when the menu opens
};

/// What of the menu gets the keyboard when a key opens it.
enum class FileField { Open, SaveAs };

/// A large file that is being read.
struct FileOnItsWay {
  std::string name;
  double share = 0;
};

struct FilesState {
  std::string open_path, save_path;  // what the menu's two fields hold
  std::vector<RecentFile> recent;    // newest first
  std::vector<LayerEntry> layers;    // of the file opened last, where it is a dump
  std::filesystem::path layers_of;   // that file
  bool asks = false;  // the card is open that asks for what a file does not say and was guessed
  std::optional<FileField> menu_opens;  // in this frame, with the keyboard there
  std::optional<FileOnItsWay> opening;  // when somebody waits for it already

  bool picture_opens = false;  // in this frame
  PictureRegion region = PictureRegion::Focus;
  bool vector = false;  // SVG instead of PNG
  int scale = 2;
  std::string picture_path;
};

}  // namespace attnscope
