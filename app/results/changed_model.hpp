// app/results: the columns of tables that describe the model of the numbers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/kit/table.hpp"
#include "core/document/model_context.hpp"

namespace attnscope {

/// A model, and the changes inside it when the numbers of a table were computed.
struct ChangedModel {
  std::shared_ptr<const OpenedModel> model;
  const ModelChanges& changes;
  /// For numbers that follow the changes: "changed model", or as_it_is if nothing is changed.
  std::string_view name() const;
  /// "layer 3 · ÷√dₖ off; head 1.5 · zeroed"; "none".
  std::string words() const;
};
/// The same words in every row. They are made when the first cell is read, which a drawn list never does.
TableColumn changes_column(std::string name, std::shared_ptr<const OpenedModel>, const ModelChanges&);
/// "encoder", "decoder", "cross".
std::string_view attention_name(AttentionOf);
/// For numbers of the model without changes.
inline constexpr std::string_view as_it_is = "model as it is";

}  // namespace attnscope
