#include "app/results/changed_model.hpp"

#include <utility>

#include "core/edits/model.hpp"

namespace attnscope {

std::string_view ChangedModel::name() const { return changes.empty() ? as_it_is : "changed model"; }

std::string ChangedModel::words() const {
  ModelContext within;
  within.model = model;
  within.changes = changes;
  std::string all;
  for (const edit::ChangeWords& change : edit::list_of_changes(within))
    all += (all.empty() ? "" : "; ") + change.line();
  return all.empty() ? "none" : all;
}

TableColumn changes_column(std::string name, std::shared_ptr<const OpenedModel> model,
                           const ModelChanges& changes) {
  return {.name = std::move(name),
          .cell = [of = ChangedModel{std::move(model), changes},
                   words = std::string()](std::size_t) mutable -> TableCell {
            if (words.empty()) words = of.words();
            return words;
          }};
}

std::string_view attention_name(AttentionOf of) {
  switch (of) {
    case AttentionOf::Encoder: return "encoder";
    case AttentionOf::Cross: return "cross";
    case AttentionOf::Decoder: break;
  }
  return "decoder";
}

}  // namespace attnscope
