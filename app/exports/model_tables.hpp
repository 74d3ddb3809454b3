// app/exports: the numbers of a model's reading as tables for other programs, with a line per head, place of
// the residual stream, or token. Each kind of number on the model's screens has one table.
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

/// The tables of this screen; the main one is first.
std::vector<ModelTable> tables_of(ModelScreen);

struct TableWords {
  std::string_view name;   // "Head scores"
  std::string_view file;   // the same for a file name
  std::string_view holds;  // a sentence about its lines and columns
};
const TableWords& words_of(ModelTable);

/// The source of the tables: the reading of the model on screen, and its difference to the held one.
struct TableSource {
  // NOLINTNEXTLINE(google-explicit-constructor): most tables are of one reading alone
  TableSource(const ModelReading& of, const ModelDifference* beside = nullptr)
      : reading(of), difference(beside) {}
  const ModelReading& reading;
  const ModelDifference* difference;  // null: nothing is compared
};

/// A sentence that tells why there is no such table; empty if there is one.
std::string why_no_table(ModelTable, const TableSource&);
/// Whether some of its numbers are still being computed.
bool is_partial(ModelTable, const TableSource&);

/// The table as CSV (see core/text/csv.hpp). Every number is that of the reading, with the value by chance
/// beside it if there is one; a number that is not known yet is an empty field. Heads are ordered by layer.
/// The last columns tell whether the numbers are those of the changed model or of the model as it is, and
/// list the changes inside; a matrix of score parts has no such columns. Throws Error with why_no_table(), or
/// Cancelled.
std::string model_table(ModelTable, const TableSource&, const std::stop_token&);

}  // namespace attnscope
