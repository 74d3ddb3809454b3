// app/pages/model: shared by the parts of the comparison: the two runs, their heads, their words. A is shown
// ("now"), B is held.
#pragma once

#include <optional>
#include <string>

#include "app/pages/model/parts/parts.hpp"
#include "app/scene/scene.hpp"
#include "core/engine/model/model_difference.hpp"

namespace attnscope {

/// The known part of a comparison. Refers to the scene's HeldModel.
struct ComparedModels {
  const ModelDifference& difference;
  const ModelDifference::Attention& attention;  // of the shown head
  ModelHead head;                               // of A, the shown head
  std::optional<ModelHead> other;               // of B, compared with it; empty if B has none

  const ComparedRun& a() const { return difference.asked.a; }
  const ComparedRun& b() const { return difference.asked.b; }
  const HeadDifference* shown() const { return difference.head(head.of, head.block, head.head); }
  const ModelSpec& spec_a() const { return a().model->model->spec; }
  const ModelSpec& spec_b() const { return b().model->model->spec; }
};
/// Empty: see why_not_compared().
std::optional<ComparedModels> compared_models(const Scene&);
/// A sentence: the comparison is not computed yet, or cannot be made. Something must be held.
std::string why_not_compared(const Scene&);

/// The word of a run's token, marked as own words.
std::string row_word(const ComparedRun&, AttentionOf queries_of, std::int64_t row);
std::string key_word(const ComparedRun&, AttentionOf keys_of, std::int64_t key);
/// "the first 9 and the last 2 tokens"; empty if all correspond.
std::string match_words(const TokenMatch&);
/// The same in whole sentences, for texts that differ.
std::string match_sentence(const TokenMatch&);

void held_section(Column&);
void draw_head_distances(Scene&, const Box& region);
void draw_head_pair(Scene&, const Box& region);
/// Four lines of this height below the pictures.
void draw_pair_numbers(Scene&, const ComparedModels&, const Box&, float row);
/// The chosen cell, in A; empty if the layer on screen has other tokens.
std::optional<Cell> marked_cell(const Scene&, const ComparedModels&);
void draw_compared_tokens(Scene&, const Box& region);
void draw_compared_predictions(Scene&, const Box& region);

}  // namespace attnscope
