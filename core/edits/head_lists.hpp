// core/edits: lists of heads as `attnscope run --ablate` takes them: what is left of a model without them, or
// with them alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/document/model_context.hpp"

namespace attnscope::edit {

/// "3.5, 7.0": layer and head of the stack that gives the output, with commas or white space between; each
/// head once, in the order of the list, as the change that zeroes it. Throws Error for an empty list, for
/// what is no layer and head, and for a head that the model does not have.
std::vector<HeadChange> listed_heads(const ModelContext&, std::string_view list);

/// The heads that are zeroed in all rows become the listed ones, or all others than the listed ones. What
/// else is changed stays, save what was done to a head that is zeroed now. Throws Error as listed_heads().
ModelContext zeroed_heads(ModelContext, std::string_view list);
ModelContext zeroed_but(ModelContext, std::string_view list);

/// The heads that are zeroed in all rows, as a list; empty where none is.
std::string list_of_zeroed(const ModelContext&);

}  // namespace attnscope::edit
