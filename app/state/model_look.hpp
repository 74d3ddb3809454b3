// app/state: how a model is shown, as far as several folders need it: the screen and what the grid of heads
// shows. It is the base of the page's whole state, which is in app/pages/model.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/state/model_head.hpp"
#include "app/state/selection.hpp"
#include "core/document/model_context.hpp"

namespace attnscope {

struct RgbPicture;  // core/files/formats/picture_file.hpp
struct ViewState;   // app/state/window_state.hpp

/// What the page shows: the grid of heads, why one head attends where it does, the effect of zeroing each
/// head, how much of another text's answer each head restores (patching), generation token by token, or the
/// distance of each head to the held model.
enum class ModelScreen : std::uint8_t { Heads, Why, Atlas, Patching, Generation, Compare };
/// What the cells of the grid show.
enum class HeadColour : std::uint8_t { Pattern, Entropy, Previous, Induction, First, Effect };
/// The order of the heads: by layer, grouped by role, or by the coloured value, the largest first.
enum class GridOrder : std::uint8_t { Layers, Groups, Largest };

/// Of models that read images: the image with a head's attention over it.
struct PictureState {
  bool shown = true;     // instead of the residual stream
  bool rollout = false;  // attention rollout beside the head

  // Not kept in sessions.
  bool is_there = false;                    // the model reads images
  std::shared_ptr<const void> photo_of;     // the tokens that `photo` was made for
  std::shared_ptr<const RgbPicture> photo;  // the image as the model gets it
};

/// The cell of a head that the program chose when the model was opened.
struct OpenedAt {
  ModelContext within;  // the model and text it was chosen for
  std::int64_t head = 0;
  Cell cell;
  bool operator==(const OpenedAt&) const = default;
};

/// Where a model is to open that was trained here: the head that learned most of its task.
struct OpensOn {
  std::filesystem::path folder;  // of the model
  int block = 0;
  std::int64_t head = 0;
  std::string text;       // that the head was shown on; empty: the model's own first text
  std::int64_t rows = 0;  // of that text, and the cell of the head there
  Cell cell;
  bool is_due = false;  // that model has been read and comes next
};

struct ModelLook {
  ModelScreen screen = ModelScreen::Heads;
  HeadColour colour = HeadColour::Pattern;
  GridOrder order = GridOrder::Layers;
  CellValue value = CellValue::Weight;
  bool token_dims = true;  // pointing at a token dims each head by the largest weight it gives that token
  PictureState picture;
  std::array<signed char, 15> fold{};         // of the sections of the controls, as in ControlsState::fold
  std::optional<std::int64_t> predicted_row;  // the row whose prediction is shown; nothing: the default row
  std::optional<std::int64_t> followed;       // a token that is always listed, however small its probability
  // The screen Why splits the logit of split_token (nothing: the likeliest token) minus the logit of
  // split_minus (nothing: the mean logit).
  std::optional<std::int64_t> split_token, split_minus;
  // The fingerprint of the model that `followed`, `split_token` and `split_minus` belong to: another model
  // has other tokens under these ids.
  std::string tokens_of;
  std::int64_t held_shift = 0;  // layer i of A is compared with layer i + held_shift of B

  // Not kept in sessions.
  std::string read;  // the text that the model read last; row indices refer to it
  ModelScreen before_compare = ModelScreen::Heads;  // the screen that F4 returns to
  std::optional<double> stale_since;  // since when the result on screen is older than the text or a change
  std::optional<OpenedAt> opened_at;  // chosen by head_worth_a_look()
  std::optional<OpensOn> opens_on;    // of the model that is saved and opened; empty: none is
  std::optional<ModelHead> hovered;   // under the mouse in the grid; previewed large
  std::optional<ModelText> pruned;    // the text whose pruning curve was requested
  std::int64_t to_append = 0;         // number of tokens still to generate
  bool locked = false;                // a click chose the head: no previews until Esc
  bool without_changes = false;       // while pressed: the model without the changes made inside
  float grid_scroll = 0;              // logical pixels
  bool layer_effects = true;          // the grid has a column with the effects of whole layers

  bool has_chosen_tokens() const { return followed || split_token || split_minus; }
  /// `chosen` if the chosen tokens belong to the model with this fingerprint; else nothing.
  std::optional<std::int64_t> token_in(std::uint64_t model, std::optional<std::int64_t> chosen) const {
    return tokens_of == fmt::format("{:016x}", model) ? chosen : std::nullopt;
  }
  /// Call it before a token of this model is chosen: clears the chosen tokens of another model. Chosen tokens
  /// without a known model are assigned to this one.
  void choose_tokens_of(std::uint64_t model) {
    const bool is_known = !tokens_of.empty();
    if (std::string mark = fmt::format("{:016x}", model); std::exchange(tokens_of, mark) == mark) return;
    if (!is_known) return;
    followed.reset();
    split_token.reset();
    split_minus.reset();
  }
  /// Assigns chosen tokens without a known model to this one.
  void own_tokens_of(std::uint64_t model) {
    if (has_chosen_tokens() && tokens_of.empty()) choose_tokens_of(model);
  }

  void compare_heads() {
    if (screen != ModelScreen::Compare) before_compare = std::exchange(screen, ModelScreen::Compare);
  }
};

ModelLook& model_look_of(ViewState&);
const ModelLook& model_look_of(const ViewState&);

}  // namespace attnscope
