// app/views/files: copies numbers to the clipboard, and the command line that computes what is on screen.
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/exports/copied_command.hpp"
#include "app/exports/export_choice.hpp"
#include "app/exports/sentence.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/watch/watch.hpp"
#include "core/edits/model.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// What `run` and `atlas` cannot express of a screen, besides the findings of command_of_model().
std::string unsaid_of_screen(const Scene& scene) {
  if (is_watching(scene.view)) return "The command line shows a process with \"attnscope watch\".";
  const ModelScreen screen =
      scene.view.mode == Mode::Model ? model_look_of(scene.view).screen : ModelScreen::Heads;
  if (screen == ModelScreen::Why) return "The command line has no word for a score that is split.";
  if (screen == ModelScreen::Patching) return "The command line has no word for two texts that are patched.";
  if (screen == ModelScreen::Compare || scene.view.mode == Mode::Compare)
    return "The command line has no word for what is held.";
  if (scene.view.mode != Mode::Model && scene.document.precision != Precision::Float32)
    return "The command line computes a model in float32.";
  return {};
}

std::string words_of_unsaid(CopiedCommand::Unsaid what) {
  switch (what) {
    case CopiedCommand::Unsaid::Pair: return "The command line has no word for the second text here.";
    case CopiedCommand::Unsaid::Decoder:
      return "The command line has no word for what the decoder has said here.";
    case CopiedCommand::Unsaid::Length: return "The text is longer than a command line takes.";
    case CopiedCommand::Unsaid::NoPath: return "The model lies in no file that a command line could name.";
    case CopiedCommand::Unsaid::EffectsOnPicture: break;
  }
  return "The command line has no word for the effects of heads on a picture.";
}

/// A sentence for each thing that the command leaves out; empty if it is complete.
std::vector<std::string> unsaid(const Scene& scene, const CopiedCommand& made) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> sentences;
  const ModelContext& within = scene.document.within.read();
  for (const std::size_t change : made.changes)
    if (sentences.size() < most_named)
      sentences.push_back(fmt::format("The command line has no word for {}.",
                                      inner(edit::words_of_change(within, change).line())));
  if (made.changes.size() > most_named)
    sentences.push_back(fmt::format("The same holds for {:d} more.", made.changes.size() - most_named));
  for (const CopiedCommand::Unsaid what : made.others) sentences.push_back(words_of_unsaid(what));
  if (std::string screen = unsaid_of_screen(scene); !screen.empty()) sentences.push_back(std::move(screen));
  return sentences;
}

/// Whether the open document came from that file; other documents may have replaced it since.
bool is_called_after(const Scene& scene, const std::filesystem::path& file) {
  const std::string& title = scene.document.title;
  const FilesState& files = *scene.view.files;
  return title == printable(file.filename().native()) || title == printable(file.stem().native()) ||
         std::ranges::any_of(files.layers, [&](const LayerEntry& layer) { return layer.title == title; }) ||
         std::ranges::any_of(scene.examples, [&](const Example& example) {
           return example.path == file && example.name == title;
         });
}

/// The file that the open document came from or was saved in; empty if there is none.
std::filesystem::path file_on_screen(const Scene& scene) {
  const FilesState& files = *scene.view.files;
  if (!files.file.empty()) return files.file;
  return is_called_after(scene, files.layers_of) ? files.layers_of : std::filesystem::path{};
}

FileOnScreen seen_of_file(const Scene& scene, const std::filesystem::path& file) {
  FileOnScreen seen{
      .file = file, .mode = scene.view.mode, .theme = scene.view.theme, .head = scene.selection.head};
  if (scene.selection.locked) seen.cell = scene.selection.cell;
  const FilesState& files = *scene.view.files;
  if (files.layers_of != file || files.layers.empty()) return seen;
  const auto layer = std::ranges::find(files.layers, scene.document.title, &LayerEntry::title);
  if (layer != files.layers.end() && files.layers.size() > 1) seen.layer = layer->name;
  return seen;
}

/// The row of the prediction that the effects are measured on, if the text has several.
std::optional<std::int64_t> predicted_row_of(const Scene& scene, const ModelContext& within) {
  const ModelReading* const reading = scene.model;
  const bool is_known = reading != nullptr && reading->within.input == within.input && reading->prediction;
  const bool has_rows = within.model->model->spec.head.input == HeadInput::EveryRow;
  return is_known && has_rows && reading->prediction->row >= 0 ? std::optional(reading->prediction->row)
                                                               : std::nullopt;
}

void copy_command_of_model(Scene& scene, const ModelContext& within) {
  const bool is_model = scene.view.mode == Mode::Model;
  const CopiedCommand made =
      command_of_model({.within = within,
                        .effects = is_model && model_look_of(scene.view).screen == ModelScreen::Atlas,
                        .one_layer = !is_model || model_look_of(scene.view).locked,
                        .row = predicted_row_of(scene, within)});
  std::vector<std::string> left_out = unsaid(scene, made);
  const std::filesystem::path& file = scene.view.files->file;
  if (!left_out.empty() && !file.empty() && !scene.edited) {
    scene.requests.copy = command_of_file(seen_of_file(scene, file));  // a session contains everything
    return scene.view.notices.tell("Copied as command line, which draws the session.");
  }
  scene.requests.copy = made.line;
  if (left_out.empty()) return scene.view.notices.tell("Copied as command line.");
  left_out.emplace_back("Save a session for that.");
  scene.view.notices.say(fmt::format("{}", fmt::join(left_out, " ")));
}

void copy_command_of_file(Scene& scene) {
  const std::filesystem::path file = file_on_screen(scene);
  if (file.empty())
    return scene.view.notices.say(
        "The command line draws what lies in a file, and this lies in none; save a session for that.");
  scene.requests.copy = command_of_file(seen_of_file(scene, file));
  const bool is_session = !scene.view.files->file.empty();
  if (scene.view.mode == Mode::Compare && scene.held != nullptr && !is_session)
    return scene.view.notices.say("The command line has no word for what is held. Save a session for that.");
  if (!scene.edited) return scene.view.notices.tell("Copied as command line.");
  scene.view.notices.say(
      "Copied as command line, of the file as it was saved. What was changed since is not in it; save a "
      "session for that.");
}

/// Whether the model has read the current input, and the layer on screen is from that run.
bool is_model_read(const Scene& scene, const ModelContext& within) {
  return scene.model != nullptr && scene.model->within == within && scene.result.document == scene.document;
}

}  // namespace

ExportSource export_source(const Scene& scene) {
  return {scene.result, scene.stats, scene.held, scene.view, scene.selection};
}

void copy_numbers(Scene& scene) {
  if (is_watching(scene.view)) return copy_watched_row(scene);
  try {
    const ExportChoice choice = export_choice(export_source(scene));
    scene.requests.copy = tab_separated(*choice.result, *choice.stats, choice.what, *scene.backends.pool());
    scene.view.notices.tell("Copied as tab-separated text · " + choice.name);
  } catch (const std::exception& error) {
    scene.view.notices.say(error.what());
  }
}

void copy_cell(Scene& scene) {
  if (is_watching(scene.view)) return copy_watched_row(scene);
  const auto& [query, key] = scene.selection.cell;
  const std::int64_t b = scene.sequence();
  const float value =
      scene.stats.matrix(stage_look_of(scene.view).stage, b, scene.selection.head)(query, key);
  scene.requests.copy = fmt::format("{}", value);
  scene.view.notices.tell(fmt::format("Copied {}, {} → {}.", own(scene.requests.copy),
                                      query_label(scene.result, b, query), key_label(scene.result, b, key)));
}

void copy_sentence(Scene& scene) {
  if (is_watching(scene.view) || is_page(scene.view.mode))
    return scene.view.notices.say(
        "There is no sentence for what is on this page; there is one for a head in Explore and Model.");
  const ModelContext within = scene.document.within.read();
  if (scene.view.mode == Mode::Model && within && !is_model_read(scene, within))
    return scene.view.notices.say("The model is still reading the text; try again in a moment.");
  scene.requests.copy =
      sentences_of(scene.result, {scene.sequence(), scene.selection.head, scene.selection.cell});
  if (scene.view.mode == Mode::Compare) return scene.view.notices.tell("Copied as a sentence, of A alone.");
  scene.view.notices.tell("Copied as a sentence.");
}

void copy_command(Scene& scene) {
  if (is_page(scene.view.mode))
    return scene.view.notices.say(
        "The command line has no word for what is done on this page; it has for Explore and Model.");
  try {
    const ModelContext within = scene.document.within.read();
    within ? copy_command_of_model(scene, within) : copy_command_of_file(scene);
  } catch (const std::exception& error) {
    scene.view.notices.say(error.what());
  }
}

}  // namespace attnscope
