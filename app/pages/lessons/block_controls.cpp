// app/pages/lessons: a step's controls for the block around the attention layer.
#include <array>
#include <string>
#include <utility>

#include "app/pages/lessons/controls.hpp"
#include "core/document/enum_names.hpp"
#include "core/edits/block.hpp"

namespace attnscope {
namespace {

void change_lesson_block(LessonPage& page, const BlockSettings& block) {
  if (!page.covered) page.scene.document = edit::block(std::move(page.scene.document), block);
}

/// "norm  ▾ LayerNorm"
template <class Menu>
float draw_lesson_drop(LessonPage& page, const Box& at, const char* label, std::string_view name,
                       std::string_view shown, const Tip& tip, const Menu& menu) {
  const Ui& ui = page.ui();
  const float wide = ui.text(at.x, at.centre_y(), name, {type::label, ui.theme.text2}) + ui.px(10);
  const Box box{at.x + wide, at.centre_y() - ui.px(14), ui.px(132), ui.px(28)};
  drop(ui, label, box, shown, tip, menu);
  return wide + box.w;
}

}  // namespace

float draw_block_control(LessonPage& page, const Box& at) {
  const BlockSettings now = page.scene.document.layer().block;
  constexpr std::array<std::string_view, 6> notes{"attention alone",        "x + A(N x), x + M(N x)",
                                                  "N(x + A x), N(x + M x)", "x + N′(A(N x)), x + N′(M(N x))",
                                                  "x + A(N x) + M(N′ x)",   "x + N(A x), x + N′(M x)"};
  return draw_lesson_drop(
      page, at, "Block arrangement", "block", enum_name(now.kind).label,
      {"Arrangement", "A attention, M MLP, N norm", "Where the norms stand, and what is added to what.", {}},
      [&] {
        for (std::size_t i = 0; i < notes.size(); ++i) {
          BlockSettings block = now;
          block.kind = static_cast<Arrangement>(i);
          if (menu_row(page.ui(), std::string(enum_name(block.kind).label).c_str(), notes[i],
                       block.kind == now.kind))
            change_lesson_block(page, block);
        }
      });
}

float draw_norm_control(LessonPage& page, const Box& at) {
  const BlockSettings now = page.scene.document.layer().block;
  constexpr std::array<std::string_view, 4> formulas{
      "γ ∘ (x − mean) / √(var + ε) + β", "γ ∘ x / √(mean x² + ε)", "(1 + w) ∘ x / √(mean x² + ε)", "x"};
  return draw_lesson_drop(page, at, "Block norm", "norm", enum_name(now.norm).label,
                          {"Norm", {}, "What brings each token's vector to one size.", {}}, [&] {
                            for (std::size_t i = 0; i < formulas.size(); ++i) {
                              BlockSettings block = now;
                              block.norm = static_cast<NormKind>(i);
                              if (menu_row(page.ui(), std::string(enum_name(block.norm).label).c_str(),
                                           formulas[i], block.norm == now.norm))
                                change_lesson_block(page, block);
                            }
                          });
}

float draw_residual_control(LessonPage& page, const Box& at) {
  BlockSettings block = page.scene.document.layer().block;
  bool clicked = false;
  const bool on = block.attention_residual && block.mlp_residual;
  const float width = draw_lesson_switch(
      page, at, "Residual", "residual additions", on,
      {"Residual additions", "x + A, x + M", "What attention and the MLP give is added to the stream.", {}},
      clicked);
  if (clicked) {
    block.attention_residual = block.mlp_residual = !on;
    change_lesson_block(page, block);
  }
  return width;
}

float draw_mlp_control(LessonPage& page, const Box& at) {
  BlockSettings block = page.scene.document.layer().block;
  bool clicked = false;
  const float width =
      draw_lesson_switch(page, at, "MLP", "MLP", block.mlp,
                         {"MLP", "f(x·W_up)·W_down", "Works on each token by itself.", {}}, clicked);
  if (clicked) {
    block.mlp = !block.mlp;
    change_lesson_block(page, block);
  }
  return width;
}

float draw_activation_control(LessonPage& page, const Box& at) {
  const BlockSettings now = page.scene.document.layer().block;
  constexpr std::array<std::string_view, 8> formulas{
      "x", "x·Φ(x)", "the tanh form", "x·σ(1.702·x)", "max(x, 0)", "max(x, 0)²", "x·σ(x)", "tanh x"};
  return draw_lesson_drop(page, at, "Activation", "activation", enum_name(now.activation).label,
                          {"Activation", {}, "What stands between the two products of the MLP.", {}}, [&] {
                            for (std::size_t i = 0; i < formulas.size(); ++i) {
                              BlockSettings block = now;
                              block.activation = static_cast<Activation>(i);
                              if (menu_row(page.ui(), std::string(enum_name(block.activation).label).c_str(),
                                           formulas[i], block.activation == now.activation))
                                change_lesson_block(page, block);
                            }
                          });
}

}  // namespace attnscope
