// core/edits: lists of heads, as in `attnscope run --ablate`, to ablate these heads or all others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/document/model_context.hpp"

namespace attnscope::edit {

/// "3.5, 7.0": layer and head of the stack that gives the output, separated by commas or white space. Returns
/// a change that zeroes it for each head, once, in the order of the list. Throws Error for an empty list, for
/// an entry that is not a layer and head, and for a head that the model does not have.
std::vector<HeadChange> listed_heads(const ModelContext&, std::string_view list);

/// Makes the heads that are zeroed in all rows the listed ones, or all but the listed ones. Other changes are
/// kept, except those of heads that are now zeroed. Throws Error as listed_heads().
ModelContext zeroed_heads(ModelContext, std::string_view list);
ModelContext zeroed_but(ModelContext, std::string_view list);

/// The list of heads that are zeroed in all rows; empty if there are none.
std::string list_of_zeroed(const ModelContext&);

}  // namespace attnscope::edit
