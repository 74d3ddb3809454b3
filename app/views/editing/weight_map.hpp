// app/views: the weight editor: a block of weights as an editable heatmap, the chosen head's columns framed,
// and above it the controls of the whole block: gain, initialiser, seed, zero, reset.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

struct Scene;

/// Indexed by Initialiser.
struct InitialiserWords {
  const char* name;
  std::string_view formula;
};
inline constexpr std::array<InitialiserWords, 5> initialisers{{{"Xavier", "N(0, 2 / (in + out))"},
                                                               {"Normal", "N(0, 0.02²)"},
                                                               {"Identity", "1 on the diagonal"},
                                                               {"Orthogonal", "WᵀW = 1"},
                                                               {"nn.Linear", "U(−1/√in, 1/√in)"}}};

/// The blocks of weights that the Document has: W_Q … W_O, biases, the learned key and others.
std::vector<Editable> weight_blocks(const Document&);

struct BlockWords {
  std::string_view name, short_name, formula, why;
};
BlockWords block_words(Editable);

/// Draws the block of the edited Document into the area.
void draw_weight_map(Scene&, const Box& area, Editable);

/// The controls of a whole block: zero and reset; for X and the projections also a gain, for the projections
/// an initialiser and a seed.
void draw_block_bar(Scene&, const Box& area, Editable);

/// Key W: shows the next block, W_Q, W_K, …, and after the last one the stage again.
void show_next_weights(Scene&);
/// Home and Shift+Home: weights and token vectors as recipe and seed make them, without edits by hand; the
/// second with a new seed.
void draw_weights_again(Scene&);
void draw_new_weights(Scene&);

}  // namespace attnscope
