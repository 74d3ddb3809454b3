// app/state: how a model is looked at: its grid of heads, its residual stream, its prediction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/kit/table.hpp"
#include "app/state/compare_heads_state.hpp"
#include "app/state/generation_state.hpp"
#include "app/state/selection.hpp"
#include "core/document/model_changes.hpp"
#include "core/document/model_context.hpp"

namespace attnscope {

class ManyTexts;     // app/results/many_texts.hpp
struct RgbPicture;   // core/files/formats/picture_file.hpp
struct OpenedModel;  // core/models/opened/opened_model.hpp
struct WhyReading;   // core/engine/model/model_why.hpp
enum class ManyTextsKind : std::uint8_t;

/// What stands in the place of the grid: the heads themselves, why one of them looked where it did, what
/// zeroing each does, what each brings back of another text's answer, how the text goes on token by token,
/// how far each head is from what is held.
enum class ModelScreen : std::uint8_t { Heads, Why, Atlas, Patching, Generation, Compare };
/// What the cells of the grid show.
enum class HeadColour : std::uint8_t { Pattern, Entropy, Previous, Induction, First, Effect };
/// How they stand: in their layers, by what they do, or the largest of what is coloured first.
enum class GridOrder : std::uint8_t { Layers, Groups, Largest };
/// What the residual stream's cells show.
enum class StreamView : std::uint8_t { Lens, Norm, Inside };
/// α, or ‖α·v·W_O‖.
enum class CellValue : std::uint8_t { Weight, Contribution };

/// One head of a model.
struct ModelHead {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  std::int64_t head = 0;
  bool operator==(const ModelHead&) const = default;
};

/// "Why did it look there?": what is split, and how much of it stands by itself.
struct WhyState {
  bool over_mean = true;  // the score less the mean of its row
  std::int64_t query_parts = 8, key_parts = 9;
  std::optional<std::int64_t> token;  // whose logit; nothing: the likeliest
  std::optional<std::int64_t> minus;  // less the logit of this token; nothing: less the mean
  bool path = true;                   // the strongest path stands below, else residual stream and prediction
  float smallest_link = 0.25f;        // of the path that is drawn

  // The cell of the table that arrows step to, of so many.
  struct Mark {
    std::int64_t query = 0, key = 0;
  };
  std::optional<Mark> mark;
  std::optional<ModelHead> marked_head;  // that a part of it is, if it is one, looked at in this row
  std::int64_t marked_row = 0;
  std::int64_t rows = 0, columns = 0;

  // The last one that was known, shown until the next is: with the words it was made of.
  std::shared_ptr<const WhyReading> shown;
  std::shared_ptr<const OpenedModel> of;
  std::string query, key, token_name, minus_name;
};

/// What zeroing a head does: to the logit of the likeliest token, to the whole prediction (KL), to that
/// token's probability.
enum class EffectMeasure : std::uint8_t { Logit, Divergence, Probability };
struct AtlasState {
  EffectMeasure measure = EffectMeasure::Logit;  // of the map's colours
  TableOrder order{.sorted_by = 1};              // of the list; in sessions without its first row

  // Of the moment.
  std::optional<ModelText> pruned;  // the text whose pruning curve a person asked for
};

/// A pair of texts: the one that the model reads and this one.
struct PatchingState {
  std::string corrupted;
  std::string answer, other;         // as they were typed; empty: the likeliest of each text
  TableOrder order{.sorted_by = 1};  // of the list; in sessions without its first row
  /// What the program put there last, beside this clean text. What of it still stands as it was is made anew
  /// when the clean text is another.
  struct Suggested {
    std::string clean, corrupted, answer, other;
  };
  Suggested suggested;
  // The clean texts beside which a person typed the corrupted one and an answer; empty: none did.
  std::string corrupted_beside, answers_beside;

  // Of the moment.
  bool is_running = true;                    // not stopped by the person
  std::shared_ptr<const OpenedModel> begun;  // a text was suggested for it
  std::string clean;                         // that it was begun with
  /// Which tokens the answers are; found anew where one of them or the model is another.
  struct Answer {
    std::shared_ptr<const OpenedModel> of;
    std::string words, problem;
    std::optional<std::int64_t> id;
  };
  std::array<Answer, 2> answers;
};

/// Of models that look at pictures: the picture with what a head looks at in it.
struct PictureState {
  bool shown = true;     // in the place of the residual stream
  bool rollout = false;  // attention rollout beside the head

  // Of the moment.
  bool is_there = false;                    // the model looks at pictures
  std::shared_ptr<const void> photo_of;     // of these tokens
  std::shared_ptr<const RgbPicture> photo;  // is what the model is given
};

/// Lists of heads that a person typed, and those that were given a name.
struct HeadSetsState {
  std::string kept;  // a line each: the name, a tab, the heads; see app/views/head_sets

  // Of the moment.
  bool open = false, opens = false;  // the card; in this frame
  std::string list, name;            // as they are typed
};

/// Many texts at once, of a file; see app/views/many_texts. Of the moment.
struct ManyTextsState {
  bool open = false, opens = false;      // the card; in this frame
  std::string file;                      // as its path is typed
  ManyTextsKind kind{};                  // scores of the heads
  std::uint8_t effect = 0, patched = 0;  // which of those that the card has
  int score = 2;                         // likewise: induction
  TableOrder order{.sorted_by = 1};      // of the heads: by their mean
  std::shared_ptr<ManyTexts> texts;      // shared by copies of the state; null: nothing was begun
};

/// A cell of a head that was chosen for the person when the model was opened.
struct OpenedAt {
  ModelContext within;  // that it was chosen for
  std::int64_t head = 0;
  Cell cell;
  bool operator==(const OpenedAt&) const = default;
};

struct ModelState {
  ModelScreen screen = ModelScreen::Heads;
  HeadColour colour = HeadColour::Pattern;
  GridOrder order = GridOrder::Layers;
  StreamView stream = StreamView::Lens;
  CellValue value = CellValue::Weight;
  bool token_dims = true;  // pointing at a token dims each head to the most it gives it
  WhyState split;
  AtlasState atlas;
  PatchingState patching;
  GenerationState generation;
  CompareHeadsState compare;
  PictureState picture;
  HeadSetsState sets;
  ManyTextsState many;
  std::array<signed char, 15> fold{};         // sections of the controls, as ViewState::fold
  std::optional<std::int64_t> predicted_row;  // whose prediction is shown; nothing: the usual one
  std::optional<std::int64_t> followed;       // a token that is listed, however unlikely it is
  // The fingerprint of the model whose tokens `followed`, `split.token` and `split.minus` are: another one
  // has other tokens under these numbers.
  std::string tokens_of;

  // Of the moment.
  std::string read;                                 // the text that was read last, whose rows are counted
  std::optional<std::string> typed_ids;             // while the field of the tokens' numbers has the keyboard
  ModelScreen before_compare = ModelScreen::Heads;  // F4 goes back to it
  std::optional<double> stale_since;                // the text, or a change, is ahead of what stands there
  std::optional<OpenedAt> opened_at;                // by head_worth_a_look()
  std::optional<ModelHead> hovered;                 // pointed at in the grid: previewed large
  bool locked = false;           // a click chose the head: what is pointed at is not previewed until Esc
  bool without_changes = false;  // pressed: the model as it is, without what was changed inside
  float grid_scroll = 0, controls_scroll = 0;  // logical pixels
  float changes_height = 0;      // of the section "Changes inside" in the frame before; likewise
  bool layer_effects = true;     // the grid has a column with what its layers do
  std::int64_t stream_back = 0;  // rows that the residual stream is scrolled up from the last one
  std::shared_ptr<const void> contributions_of;  // of these lengths of values
  float usual_contribution = 1;                  // is what the colours of the grid go up to

  bool has_chosen_tokens() const { return followed || split.token || split.minus; }
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
    split.token.reset();
    split.minus.reset();
  }

  void compare_heads() {
    if (screen != ModelScreen::Compare) before_compare = std::exchange(screen, ModelScreen::Compare);
  }
};

}  // namespace attnscope
