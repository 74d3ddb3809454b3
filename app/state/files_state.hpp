// app/state: choices and typed text of the file menu, the file dialog and its cards, and which of them
// opens. No session keeps them.
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
  bool there = true;  // the file exists; checked when the menu opens
};

/// A large file that is being read or written.
struct FileOnItsWay {
  std::string name;
  double share = 0;  // done so far, 0..1
};

/// What the dialog is for.
enum class FileTask : std::uint8_t { Open, Save, Picture, Numbers };
/// The part of the dialog that has the keyboard.
enum class DialogPart : std::uint8_t { List, Path, Name };

struct FileDialog {
  bool opens = false;       // in this frame
  bool keeps_name = false;  // the next opening keeps `name` instead of proposing one
  bool is_new = false;      // opened in this frame: the key that opened it must not act in the dialog
  FileTask task = FileTask::Open;
  bool takes_photos = false;     // the model on screen reads images, so image files can be opened
  std::filesystem::path folder;  // absolute once the dialog was open; the next opening starts here
  std::shared_ptr<FolderReader> reader = std::make_shared<FolderReader>();  // copies of the state share it
  FolderReading reading;
  Folder shown;                   // the folder that was read last, sorted by `order`
  std::vector<std::size_t> rows;  // indices into `shown` of the entries that pass the filter
  std::string chosen;             // name of the chosen entry; empty = none
  int filter = 0;
  FolderOrder order = FolderOrder::Name;
  bool backwards = false;
  std::int64_t first_row = 0;

  DialogPart keyboard = DialogPart::List;
  int keyboard_moves = 0;       // frames until `keyboard` has it: Dear ImGui moves the focus with a delay
  bool field_active = false;    // a text field has the keyboard in this frame
  bool cursor_to_end = false;   // the path field puts its cursor at the end instead of selecting all
  std::string path_text;        // what the path field holds
  std::string name, suggested;  // name of the file to write, and the proposed name
  std::string letters;          // the letters typed in the list, to find an entry by its name
  double letters_at = 0;        // ImGui::GetTime() of the last one
  std::string trouble;          // one sentence on what failed or cannot be done here; empty = none
};

/// The question before an existing file is overwritten.
struct OverwriteQuestion {
  std::filesystem::path path;
  std::optional<PictureRequest> picture;  // empty: the file is saved or exported
  FileTask task = FileTask::Save;
  std::string facts;           // the file's size and time of the last change
  bool changed_since = false;  // it is the open document's file, but another program has written to it
  bool opens = true;           // in this frame
  bool replace = false;        // the answer that Return gives
};

/// The format of a saved picture.
enum class PictureKind : std::uint8_t { Png, Svg, Html, Series };
/// Which of two compared matrices is exported.
enum class ExportSide : std::uint8_t { A, B, Difference };
enum class NumberFormat : std::uint8_t { Csv, Npy, Tensors };
/// The tables that a model can be exported as, see app/exports/model_tables.hpp.
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
  std::vector<RecentFile> recent;       // newest first
  std::vector<ClosedEntry> closed;      // newest first; looked up when the menu opens
  std::vector<ModelPlace> models;       // models on the disk; looked up when a list of them is drawn
  bool sought_models = false;           // `models` was looked up once
  bool model_behind = false;            // no model is open, but an undo step has one
  std::vector<LayerEntry> layers;       // layers of the file opened last, if it is a dump
  std::filesystem::path layers_of;      // the file of `layers`
  std::filesystem::path file;           // the open document was read from or saved to it; empty = no file
  bool asks = false;                    // the card is open that asks for guessed properties of the file
  std::optional<FileOnItsWay> opening;  // set once opening takes long enough to show progress
  FileDialog dialog;
  std::optional<OverwriteQuestion> question;

  PictureRegion region = PictureRegion::Focus;
  PictureKind kind = PictureKind::Png;
  edit::Sweep sweep;                           // of an animation: the setting that is swept, and its frames
  std::string sweep_from = {}, sweep_to = {};  // the ends of the sweep as typed text
  bool answers = false;                        // the pages of a lesson show the answers to its questions
  LessonPrint print = LessonPrint::None;       // what a lesson is printed as
  std::int64_t sheet = 0;                      // the seed of a worksheet or a quiz
  int scale = 2;
  int token_pixels = 4;   // in the picture of all heads of a model: pixels a token
  int picture_theme = 0;  // 0 = as on the screen, 1 = light, 2 = dark
  NumberFormat numbers = NumberFormat::Csv;
  ExportSide side = ExportSide::A;
  ModelTable table = ModelTable::Heads;   // in Model mode
  bool one_layer = false;                 // of a model's activations: those of the shown layer only
  std::optional<FileOnItsWay> exporting;  // an export of a model that runs in the background
};

}  // namespace attnscope
