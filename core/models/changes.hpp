// core/models: what is changed inside a model (see core/document/model_changes.hpp), held against the model
// that it is to fit.
#pragma once

#include <cstdint>

#include "core/document/model_changes.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

/// The self-attention of the stack that gives the model's output.
AttentionOf output_attention(const ModelSpec&);

bool changes_pattern(HeadChange::Kind);

/// Throws Error with a sentence that says which block, head or number the model does not have.
void check(const ModelChanges&, const ModelSpec&);
/// Whether a token more changes rows before it: Mean, a mask that is off.
bool looks_ahead(const ModelChanges&);
/// That of a block; one that changes nothing where there is none.
BlockChange change_of(const ModelChanges&, AttentionOf, std::size_t block);
/// The change that gives a head its pattern; null where it has its own.
const HeadChange* pattern_change(const ModelChanges&, AttentionOf, std::size_t block, std::int64_t head);

}  // namespace attnscope
