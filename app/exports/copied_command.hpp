// app/exports: the command line that computes what is on screen, for a script or a notebook.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/ui/theme.hpp"
#include "app/state/page/mode.hpp"
#include "app/state/selection.hpp"
#include "core/document/model_context.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

/// The text as one word of a POSIX shell's line, quoted if necessary. It must not contain a zero byte.
std::string shell_word(std::string_view);

/// The window's view of a model.
struct ModelOnScreen {
  const ModelContext& within;  // with its model
  bool effects = false;        // the effect of zeroing each head on the prediction; else the model's outputs
  bool one_layer = false;      // the one that is looked at alone
  std::optional<std::int64_t> row = {};  // whose prediction the effects are measured on; empty: the usual one
};

struct CopiedCommand {
  /// What is on screen and cannot be expressed by `run` and `atlas`, besides changes.
  enum class Unsaid : std::uint8_t { Pair, Decoder, Length, EffectsOnPicture, NoPath };
  std::string line;
  std::vector<std::size_t> changes;  // that cannot be expressed, as numbered by edit::words_of_change()
  std::vector<Unsaid> others;
  bool says_all() const { return changes.empty() && others.empty(); }
};

/// `attnscope run`, or `attnscope atlas` for effects, which are those of the model without its changes. The
/// text is an option itself if the command makes the same tokens of it, else its token ids are. Throws Error
/// for a text that the model cannot read.
CopiedCommand command_of_model(const ModelOnScreen&);

/// The window's view of a file.
struct FileOnScreen {
  std::filesystem::path file;
  std::string layer = {};  // of a dump; empty = the first
  std::optional<bool> causal = {};
  std::optional<Positions> positions = {};  // None, RopeHalf or RopeInterleaved
  Mode mode = Mode::Explore;
  ThemeName theme = ThemeName::Dark;
  std::int64_t head = 0;
  std::optional<Cell> cell = {};
};
/// `attnscope render`.
std::string command_of_file(const FileOnScreen&);

}  // namespace attnscope
