// app/exports: the command line that gives what is on screen, for a script or a notebook.
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

/// The text as one word of a POSIX shell's line, in quotes where it must be. No word holds a zero byte.
std::string shell_word(std::string_view);

/// What the window shows of a model.
struct ModelOnScreen {
  const ModelContext& within;  // with its model
  bool effects = false;        // what zeroing each head does to the prediction; else what the model computes
  bool one_layer = false;      // the one that is looked at alone
  std::optional<std::int64_t> row = {};  // whose prediction the effects are of; nothing: the usual one
};

struct CopiedCommand {
  /// What of the screen `run` and `atlas` have no word for, besides changes.
  enum class Unsaid : std::uint8_t { Pair, Decoder, Length, EffectsOnPicture, NoPath };
  std::string line;
  std::vector<std::size_t> changes;  // that it has no word for, as edit::words_of_change() numbers them
  std::vector<Unsaid> others;
  bool says_all() const { return changes.empty() && others.empty(); }
};

/// `attnscope run`, or `attnscope atlas` of effects, which are those of the model without its changes. The
/// text stands there as it is where the command makes the same tokens of it, else as the numbers of its
/// tokens. Throws Error for a text that the model cannot read.
CopiedCommand command_of_model(const ModelOnScreen&);

/// What the window shows of a file.
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
