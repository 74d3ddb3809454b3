// core/document: the settings of a layer's attention that a block inside a model can have otherwise than the
// model says: those that need no other weights and no other width.
#pragma once

#include <string_view>

#include "core/document/layer.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// Whether a row of the table is such a setting: positions, QK-norm, soft-cap, mask, softmax, rows without a
/// key, linear attention. Scale, temperature and the heads' patterns are changes of their own (see
/// model_changes.hpp). Dropout is none: a pattern of a head is dropped out in a layer and is not in a model.
constexpr bool is_attention_setting(const Fields& touches, std::string_view key) {
  constexpr Fields all{Field::Positions, Field::QkNorm,  Field::SoftCap,
                       Field::Masking,   Field::Softmax, Field::Linear};
  return !touches.empty() && all.contains(touches) && key != "temperature";
}

/// Copies them all; the rest of `to` stays.
void copy_attention(const LayerSpec& from, LayerSpec& to);
/// Copies those in which `now` differs from `was`.
void copy_edited_attention(const LayerSpec& was, const LayerSpec& now, LayerSpec& to);
/// A layer with these settings of `layer` and no other: what a change of a block holds.
LayerSpec attention_only(const LayerSpec& layer);

}  // namespace attnscope
