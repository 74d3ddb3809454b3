// app/views: the weight editor: a block of weights as an editable heatmap, the chosen head's columns framed,
// and above it what holds for the whole block: gain, initialiser, seed, zero, reset.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

/// By Initialiser.
struct InitialiserWords {
  const char* name;
  std::string_view formula;
};
inline constexpr std::array<InitialiserWords, 5> initialisers{{{"Xavier", "N(0, 2 / (in + out))"},
                                                               {"Normal", "N(0, 0.02²)"},
                                                               {"Identity", "1 on the diagonal"},
                                                               {"Orthogonal", "WᵀW = 1"},
                                                               {"nn.Linear", "U(−1/√in, 1/√in)"}}};

/// The blocks of weights the Document has: W_Q … W_O, biases and the learned key where there are some.
std::vector<Editable> weight_blocks(const Document&);

struct BlockWords {
  std::string_view name, short_name, formula, why;
};
BlockWords block_words(Editable);

/// Draws the block of the edited Document into the area.
void draw_weight_map(Scene&, const Box& area, Editable);

/// The controls that hold for a whole block; X has a gain, the four matrices also an initialiser and a seed.
void draw_block_bar(Scene&, const Box& area, Editable);

/// W: W_Q, W_K, … one after the other, then the stages again.
void show_next_weights(Scene&);
/// Home and Shift+Home: what the recipe and the seed make, without numbers edited by hand; with another seed.
void draw_weights_again(Scene&);
void draw_new_weights(Scene&);

}  // namespace attnscope
