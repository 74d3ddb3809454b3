// app/state: what is chosen and typed in the file menu, in the dialog for files and on its cards, and
// which of them opens. Of the moment: nothing to save.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/files/closed_entry.hpp"
#include "app/files/folder.hpp"
#include "app/state/requests.hpp"
#include "core/files/document/open.hpp"
#include "core/models/opened/model_places.hpp"

namespace attnscope {

struct RecentFile {
  std::filesystem::path path;
  bool there = true;  // looked up when the menu opens
};

/// A large file that is being read.
struct FileOnItsWay {
  std::string name;
  double share = 0;
};

/// What the dialog is for.
enum class FileTask : std::uint8_t { Open, Save, Picture, Numbers };
/// What of the dialog has the keyboard.
enum class DialogPart : std::uint8_t { List, Path, Name };

struct FileDialog {
  bool opens = false;       // in this frame
  bool keeps_name = false;  // when it opens again
  bool is_new = false;      // the key that opened it is none of its own
  FileTask task = FileTask::Open;
  bool takes_photos = false;     // the model on screen looks at pictures: they can be opened
  std::filesystem::path folder;  // absolute once it was open; kept for the next time
  std::shared_ptr<FolderReader> reader = std::make_shared<FolderReader>();  // shared by copies of the state
  FolderReading reading;
  Folder shown;                   // what was read last, in order
  std::vector<std::size_t> rows;  // of it, those that the filter lets through
  std::string chosen;             // the entry's name; empty = none
  int filter = 0;
  FolderOrder order = FolderOrder::Name;
  bool backwards = false;
  std::int64_t first_row = 0;

  DialogPart keyboard = DialogPart::List;
  int keyboard_moves = 0;       // frames until the part has it: Dear ImGui takes its time
  bool field_active = false;    // in this frame
  bool cursor_to_end = false;   // of the path that was begun in the list
  std::string path_text;        // what the path field holds
  std::string name, suggested;  // of the file to be written, and what was proposed
  std::string letters;          // typed ahead in the list
  double letters_at = 0;
  std::string trouble;  // one sentence on what cannot be done here
};

/// A file that is there already and would be written over.
struct OverwriteQuestion {
  std::filesystem::path path;
  std::optional<PictureRequest> picture;  // empty: it is saved or exported
  FileTask task = FileTask::Save;
  std::string facts;           // its size and when it was changed
  bool changed_since = false;  // it is the person's own, but another program has written to it
  bool opens = true;           // in this frame
  bool replace = false;        // what Return would do
};

/// As what a picture is saved.
enum class PictureKind : std::uint8_t { Png, Svg, Html, Series };
/// Which of two compared matrices is exported.
enum class ExportSide : std::uint8_t { A, B, Difference };
enum class NumberFormat : std::uint8_t { Csv, Npy, Tensors };
/// What of a model is exported as a table, see app/exports/model_tables.hpp.
enum class ModelTable : std::uint8_t {
  Heads,
  Lens,
  Prediction,
  Effects,
  Pruning,
  PatchedHeads,
  PatchedRows,
  ScoreParts,
  LogitParts,
  ComparedHeads,
  Generated
};

struct FilesState {
  std::vector<RecentFile> recent;   // newest first
  std::vector<ClosedEntry> closed;  // newest first; looked up when the menu opens
  std::vector<ModelPlace> models;   // that lie on the disk; looked up when they are to be listed
  bool sought_models = false;       // they were looked up once
  bool model_behind = false;        // none is open, and undo leads to one
  std::vector<LayerEntry> layers;   // of the file opened last, where it is a dump
  std::filesystem::path layers_of;  // that file
  std::filesystem::path file;       // what is open was opened from it or saved there; empty = nowhere
  bool asks = false;                // the card is open that asks for what a file does not say and was guessed
  std::optional<FileOnItsWay> opening;  // once it takes long enough to be shown
  FileDialog dialog;
  std::optional<OverwriteQuestion> question;

  PictureRegion region = PictureRegion::Focus;
  PictureKind kind = PictureKind::Png;
  edit::Sweep sweep;                           // of an animation: its knob and frames
  std::string sweep_from = {}, sweep_to = {};  // its ends, as they are typed
  bool answers = false;                        // of a lesson's pages: what is asked is answered
  int scale = 2;
  int token_pixels = 4;   // of all heads of a model
  int picture_theme = 0;  // 0 = as on the screen, 1 = light, 2 = dark
  NumberFormat numbers = NumberFormat::Csv;
  ExportSide side = ExportSide::A;
  ModelTable table = ModelTable::Heads;   // in Model mode
  bool one_layer = false;                 // of a model's activations: those of the layer that is looked at
  std::optional<FileOnItsWay> exporting;  // what is made of a model behind the window
};

}  // namespace attnscope
