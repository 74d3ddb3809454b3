// core/models: what models of a family end in, as a table: the name of the architecture says which. A head
// more is a row more. Source of every row: transformers 5.12, the files modeling_*.py of the family.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/config/config_object.hpp"
#include "core/models/config/families.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

/// out(norm(f(dense(x)))), of which the last map alone is in every head. Masked tokens: its weight is the
/// table of the embeddings where the files have none.
struct HeadRow {
  std::string_view ending;  // of the architecture's name: "ForMaskedLM"
  HeadKind kind;
  HeadInput input;
  std::string_view dense, norm, out;               // modules; empty = none
  std::string_view bias;                           // its tensor, where the files have no out.bias
  std::optional<Activation> activation;            // nothing: the one that the config names
  bool names_referents = false;                    // see HeadSpec
  std::span<const std::string_view> classes = {};  // their names, whatever the config says; empty: as it says
};

/// Null where the family has no such head, or the plain one of a decoder, which makes the next token's
/// logits.
const HeadRow* find_head(const FamilyRow&, std::string_view architecture);

/// Names of classes by their numbers: the head's own, or "id2label". What is no name there is left out: names
/// are no reason to refuse weights.
std::vector<std::string> classes_of(const HeadRow&, const ConfigObject&);

}  // namespace attnscope
