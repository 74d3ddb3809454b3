// core/models/config: the heads of each family as a table, chosen by the name of the architecture. A new head
// is a new row. Source of every row: transformers 5.12, the files modeling_*.py of the family.
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

/// out(norm(f(dense(x)))), of which every head has at least the last map. For masked tokens, out.weight is
/// the embedding table if the files lack it.
struct HeadRow {
  std::string_view ending;  // of the architecture's name: "ForMaskedLM"
  HeadKind kind;
  HeadInput input;
  std::string_view dense, norm, out;               // modules; empty = none
  std::string_view bias;                           // name of its bias, if it is not out.bias
  std::optional<Activation> activation;            // nothing: the config's
  bool names_referents = false;                    // see HeadSpec
  std::span<const std::string_view> classes = {};  // fixed names of classes; empty: the config's
};

/// Null if the family has no such head, and for the plain next-token head of a decoder.
const HeadRow* find_head(const FamilyRow&, std::string_view architecture);

/// Names of classes by index: the head's own, or "id2label". Other entries (null, lists, objects) are
/// skipped: a wrong name is no reason to refuse weights.
std::vector<std::string> classes_of(const HeadRow&, const ConfigObject&);

}  // namespace attnscope
