// app/state: what more than one room knows of how a model is looked at: which screen and which head, what the
// grid of heads shows. The rest of it is the state of the page, which this is a part of: app/pages/model.
#pragma once

#include <array>
#include <cstdint>
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

/// What stands in the place of the grid: the heads themselves, why one of them looked where it did, what
/// zeroing each does, what each brings back of another text's answer, how the text goes on token by token,
/// how far each head is from what is held.
enum class ModelScreen : std::uint8_t { Heads, Why, Atlas, Patching, Generation, Compare };
/// What the cells of the grid show.
enum class HeadColour : std::uint8_t { Pattern, Entropy, Previous, Induction, First, Effect };
/// How they stand: in their layers, by what they do, or the largest of what is coloured first.
enum class GridOrder : std::uint8_t { Layers, Groups, Largest };

/// Of models that look at pictures: the picture with what a head looks at in it.
struct PictureState {
  bool shown = true;     // in the place of the residual stream
  bool rollout = false;  // attention rollout beside the head

  // Of the moment.
  bool is_there = false;                    // the model looks at pictures
  std::shared_ptr<const void> photo_of;     // of these tokens
  std::shared_ptr<const RgbPicture> photo;  // is what the model is given
};

/// A cell of a head that was chosen for the person when the model was opened.
struct OpenedAt {
  ModelContext within;  // that it was chosen for
  std::int64_t head = 0;
  Cell cell;
  bool operator==(const OpenedAt&) const = default;
};

struct ModelLook {
  ModelScreen screen = ModelScreen::Heads;
  HeadColour colour = HeadColour::Pattern;
  GridOrder order = GridOrder::Layers;
  CellValue value = CellValue::Weight;
  bool token_dims = true;  // pointing at a token dims each head to the most it gives it
  PictureState picture;
  std::array<signed char, 15> fold{};         // sections of the controls, as ControlsState::fold
  std::optional<std::int64_t> predicted_row;  // whose prediction is shown; nothing: the usual one
  std::optional<std::int64_t> followed;       // a token that is listed, however unlikely it is
  // Whose logit is split on the screen Why; nothing: the likeliest. Less the logit of the other one; nothing:
  // less the mean.
  std::optional<std::int64_t> split_token, split_minus;
  // The fingerprint of the model whose tokens `followed`, `split_token` and `split_minus` are: another one
  // has other tokens under these numbers.
  std::string tokens_of;
  std::int64_t held_shift = 0;  // layer i of A beside layer i + held_shift of B

  // Of the moment.
  std::string read;                                 // the text that was read last, whose rows are counted
  ModelScreen before_compare = ModelScreen::Heads;  // F4 goes back to it
  std::optional<double> stale_since;                // the text, or a change, is ahead of what stands there
  std::optional<OpenedAt> opened_at;                // by head_worth_a_look()
  std::optional<ModelHead> hovered;                 // pointed at in the grid: previewed large
  std::optional<ModelText> pruned;                  // the text whose pruning curve a person asked for
  std::int64_t to_append = 0;                       // tokens that are still to be generated
  bool locked = false;           // a click chose the head: what is pointed at is not previewed until Esc
  bool without_changes = false;  // pressed: the model as it is, without what was changed inside
  float grid_scroll = 0;         // logical pixels
  bool layer_effects = true;     // the grid has a column with what its layers do

  bool has_chosen_tokens() const { return followed || split_token || split_minus; }
  /// A chosen token, where it is one of the model with this fingerprint.
  std::optional<std::int64_t> token_in(std::uint64_t model, std::optional<std::int64_t> chosen) const {
    return tokens_of == fmt::format("{:016x}", model) ? chosen : std::nullopt;
  }
  /// Before a token of this model is chosen: those of another one go. Tokens of which no model is known
  /// become this one's.
  void choose_tokens_of(std::uint64_t model) {
    const bool is_known = !tokens_of.empty();
    if (std::string mark = fmt::format("{:016x}", model); std::exchange(tokens_of, mark) == mark) return;
    if (!is_known) return;
    followed.reset();
    split_token.reset();
    split_minus.reset();
  }
  /// Chosen tokens of which no model is known become this one's.
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
