// core/models: checks the changes inside a model (core/document/model_changes.hpp) against the model, and
// looks them up.
#pragma once

#include <cstdint>
#include <string>

#include "core/document/model_changes.hpp"
#include "core/document/settings.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

/// The self-attention of the stack that makes the model's output.
AttentionOf output_attention(const ModelSpec&);

bool changes_pattern(HeadChange::Kind);

/// Changes of a head inside a model, and the interventions of a layer that are the same; Replaced has none.
struct ChangeInLayer {
  HeadChange::Kind change;
  Intervention::Kind layer;
};
inline constexpr ChangeInLayer changes_in_layer[]{
    {HeadChange::Kind::Zero, Intervention::Kind::Mute},
    {HeadChange::Kind::Mean, Intervention::Kind::Mean},
    {HeadChange::Kind::Uniform, Intervention::Kind::Uniform},
    {HeadChange::Kind::PreviousToken, Intervention::Kind::PreviousToken},
    {HeadChange::Kind::Identity, Intervention::Kind::Identity},
    {HeadChange::Kind::FirstToken, Intervention::Kind::FirstToken},
    {HeadChange::Kind::Frozen, Intervention::Kind::Frozen},
};

/// Throws Error naming the block, head or number that the model does not have.
void check(const ModelChanges&, const ModelSpec&);
/// What lets an added token change earlier rows, "the mean of head 2.1": Mean, a mask that is off, a block
/// whose settings are not swept, not causal, or rotate by the length of the text. Empty: nothing does.
std::string what_looks_ahead(const ModelChanges&);
/// Whether there is such a change.
bool looks_ahead(const ModelChanges&);
/// The change of a block; one that changes nothing if there is none.
BlockChange change_of(const ModelChanges&, AttentionOf, std::size_t block);
/// The change that replaces a head's pattern; null if the head keeps its own.
const HeadChange* pattern_change(const ModelChanges&, AttentionOf, std::size_t block, std::int64_t head);

}  // namespace attnscope
