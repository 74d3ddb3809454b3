// app/exports: what a reading of a model knows, as tables for other programs: a line a head, a place of the
// stream, a token. One table for each kind of number on the model's screens.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/files_state.hpp"
#include "core/engine/model/model_difference.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

enum class ModelScreen : std::uint8_t;  // app/state/model_look.hpp

/// The tables of what is on this screen, the first one first.
std::vector<ModelTable> tables_of(ModelScreen);

struct TableWords {
  std::string_view name;   // "Head scores"
  std::string_view file;   // the same for the name of a file
  std::string_view holds;  // a sentence on its lines and columns
};
const TableWords& words_of(ModelTable);

/// What tables are made of: what is known of the model on screen, and of it beside the held one.
struct TableSource {
  // NOLINTNEXTLINE(google-explicit-constructor): most tables are of one reading alone
  TableSource(const ModelReading& of, const ModelDifference* beside = nullptr)
      : reading(of), difference(beside) {}
  const ModelReading& reading;
  const ModelDifference* difference;  // null: nothing is compared
};

/// A sentence why there is no such table; empty where there is one.
std::string why_no_table(ModelTable, const TableSource&);
/// Whether more will be known of it than is now.
bool is_partial(ModelTable, const TableSource&);

/// The table as CSV (see core/text/csv.hpp). Every number is the one that the reading has, with
/// what chance gives beside it where there is such a thing; what is not known yet is an empty field. Heads
/// come layer after layer. The last columns say whether numbers are of the changed model or of the model as
/// it is, and what is changed inside; a matrix of score parts has no room for them. Throws Error with
/// why_no_table(), or Cancelled.
std::string model_table(ModelTable, const TableSource&, const std::stop_token&);

}  // namespace attnscope
