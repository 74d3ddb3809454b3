// app/views/controls: the block around the attention layer: presets of known models, or part by part.
#include "core/edits/block.hpp"

#include <algorithm>
#include <array>

#include "app/views/controls/column.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope {
namespace {

using edit::BlockPreset;

struct PresetWords {
  const char* name;
  std::string_view note;
};
constexpr std::array<PresetWords, 4> presets{{{"None", "attention alone"},
                                              {"BERT-style", "post-norm · LN · GELU"},
                                              {"GPT-style", "pre-norm · LN · GELU tanh"},
                                              {"Llama-style", "pre-norm · RMS · gated SiLU"}}};

void change_block(Column& c, const BlockSettings& block) {
  c.document() = edit::block(std::move(c.document()), block);
}

void arrangement_row(Column& c) {
  BlockSettings block = c.document().layer().block;
  constexpr std::array<std::string_view, 6> notes{"attention alone",        "x + A(N x), x + M(N x)",
                                                  "N(x + A x), N(x + M x)", "x + N′(A(N x)), x + N′(M(N x))",
                                                  "x + A(N x) + M(N′ x)",   "x + N(A x), x + N′(M x)"};
  drop(c.ui(), "Block arrangement", c.row(28), enum_name(block.kind).label,
       {"Arrangement", "A attention, M MLP, N norm",
        "Pre-norm: GPT-2, Llama. Post-norm: BERT. Sandwich: Gemma 2. Parallel: GPT-NeoX. After: OLMo 2."},
       [&] {
         for (std::size_t i = 0; i < notes.size(); ++i) {
           const auto kind = static_cast<Arrangement>(i);
           if (!menu_row(c.ui(), std::string(enum_name(kind).label).c_str(), notes[i], kind == block.kind))
             continue;
           block.kind = kind;
           change_block(c, block);
         }
       });
}

void block_norm_row(Column& c) {
  BlockSettings block = c.document().layer().block;
  constexpr std::array<Tip, 4> tips{
      Tip{"LayerNorm", "γ ∘ (x − mean) / √(var + ε) + β", "As in BERT and GPT-2."},
      Tip{"RMSNorm", "γ ∘ x / √(mean x² + ε)", "As in Llama and T5: no mean, no bias."},
      Tip{"RMSNorm with 1 + w", "(1 + w) ∘ x / √(mean x² + ε)", "As Gemma stores it: w = 0 changes nothing."},
      Tip{"No norm", "x", "The residual stream grows unchecked."}};
  if (c.pick("Block norm", "norm", block.norm, tips)) change_block(c, block);
}

void residual_rows(Column& c) {
  BlockSettings block = c.document().layer().block;
  if (c.turn("Attention residual", "x + attention", block.attention_residual,
             {"Residual around attention", "R = X + Y",
              "Without it the token vectors reach the MLP through attention alone."}))
    change_block(c, block);
  if (!block.mlp || block.kind == Arrangement::Parallel)
    return;  // a parallel block has one residual for both
  if (c.turn("MLP residual", "x + MLP", block.mlp_residual,
             {"Residual around the MLP", "R₂ = R + O", "Without it the MLP's output replaces the stream."}))
    change_block(c, block);
}

void activation_row(Column& c) {
  BlockSettings block = c.document().layer().block;
  constexpr std::array<std::string_view, 8> formulas{
      "x", "x·Φ(x)", "the tanh form", "x·σ(1.702·x)", "max(x, 0)", "max(x, 0)²", "x·σ(x)", "tanh x"};
  drop(c.ui(), "Activation", c.row(28), enum_name(block.activation).label,
       {"Activation", formulas[static_cast<std::size_t>(block.activation)],
        "What stands between the two products of the MLP."},
       [&] {
         for (std::size_t i = 0; i < formulas.size(); ++i) {
           const auto kind = static_cast<Activation>(i);
           if (!menu_row(c.ui(), std::string(enum_name(kind).label).c_str(), formulas[i],
                         kind == block.activation))
             continue;
           block.activation = kind;
           change_block(c, block);
         }
       });
}

void mlp_rows(Column& c) {
  BlockSettings block = c.document().layer().block;
  if (c.turn("Block MLP", "MLP", block.mlp, {"MLP", "f(x·W_up)·W_down", "Works on each token by itself."}))
    change_block(c, block);
  if (!block.mlp) return;
  activation_row(c);
  if (c.turn("MLP gate", "gate", block.gated,
             {"Gated MLP", "(f(x·W_gate) ∘ x·W_up)·W_down", "As in Llama (SwiGLU) and T5 1.1 (GEGLU)."}))
    change_block(c, block);
  const std::int64_t d_model = c.document().layer().d_model, width = inner_width(block, d_model);
  const auto next = [&](int step) {
    return step > 0 ? std::min(width * 2, 4 * d_model * 2) : std::max<std::int64_t>(width / 2, 1);
  };
  if (const auto n =
          c.number("d_inner", "d_inner", width, next,
                   {"d_inner", "W_up [d_model, d_inner]", "Width of the MLP; usually 4 · d_model."})) {
    block.d_inner = static_cast<int>(std::clamp<std::int64_t>(*n, 1, 4 * 4096));
    if (block.d_inner == 4 * d_model) block.d_inner = 0;
    change_block(c, block);
  }
}

}  // namespace

void block_row(Column& c) {
  Document& document = c.document();
  const int d_model = document.layer().d_model;
  const auto now = edit::preset_of(document.layer().block, d_model);
  const std::string shown =
      "Block: " + inner(now ? presets[static_cast<std::size_t>(*now)].name : "of its own");
  drop(c.ui(), "Block preset", c.row(28), shown,
       {"Block", "x + A(N x), x + M(N x)",
        "Norms, residual additions and an MLP around this layer, as in a transformer. Causal masks are set "
        "apart."},
       [&] {
         for (std::size_t i = 0; i < presets.size(); ++i) {
           const auto preset = static_cast<BlockPreset>(i);
           if (menu_row(c.ui(), presets[i].name, presets[i].note, preset == now))
             document = edit::block(std::move(document), preset);
         }
       });
}

void block_section(Column& c) {
  const BlockSettings block = c.document().layer().block;
  if (!has_block(block)) return;
  if (c.begin(
          {.which = Section::Block, .label = "Block", .note = std::string(enum_name(block.kind).label)})) {
    arrangement_row(c);
    block_norm_row(c);
    residual_rows(c);
    mlp_rows(c);
  }
  c.end();
}

}  // namespace attnscope
