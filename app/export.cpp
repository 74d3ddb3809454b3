#include "app/export.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/scene.hpp"
#include "core/error.hpp"
#include "core/files/atomic_write.hpp"
#include "core/files/npy.hpp"
#include "core/files/safetensors.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// The matrix with what its rows and columns are called.
struct Table {
  Tensor values;  // [rows][columns]
  std::vector<std::string> rows, columns;
};

Table plane_table(const Result& result, const Exported& what) {
  const auto matrix = matrix_of(result, what.plane, what.sequence, what.head);
  Table table{Tensor(Shape{matrix.rows(), matrix.cols()}), {}, {}};
  table.values.matrix() = matrix;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    table.rows.push_back(query_label(result, what.sequence, i));
  for (std::int64_t j = 0; j < matrix.cols(); ++j)
    table.columns.push_back(key_label(result, what.sequence, j));
  return table;
}

Table vector_table(const Result& result, const Exported& what) {
  const Tensor& tensor = *result.trace[*what.vectors];
  const bool heads = tensor.shape().rank() == 4;
  const std::int64_t head = heads ? what.head * tensor.shape()[1] / result.dimensions.heads : 0;
  const auto matrix = heads ? tensor.matrix(what.sequence, head) : tensor.matrix(what.sequence);
  Table table{Tensor(Shape{matrix.rows(), matrix.cols()}), {}, {}};
  table.values.matrix() = matrix;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) table.rows.push_back(std::to_string(i));
  for (std::int64_t j = 0; j < matrix.cols(); ++j) table.columns.push_back(std::to_string(j));
  return table;
}

/// Quoted where a comma, a quote or a line break would be read as something else.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void write_csv(const Table& table, const std::filesystem::path& path) {
  std::string text;
  for (const std::string& column : table.columns) text += "," + csv_field(column);
  text += "\r\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    text += csv_field(table.rows[i]);
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      text += fmt::format(",{}", table.values.values()[i * table.columns.size() + j]);
    text += "\r\n";
  }
  const std::array<std::string_view, 1> pieces{text};
  write_atomically(path, pieces);
}

std::string lower(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

void write_all(const Result& result, const std::filesystem::path& path) {
  std::vector<NamedTensor> tensors;
  for (const StageInfo& row : stage_table)
    if (const TensorPtr& tensor = result.trace[row.stage]) tensors.push_back({lower(row.name), tensor.get()});
  if (result.gradients) {
    tensors.push_back({"d_weights", result.gradients->weights.get()});
    tensors.push_back({"d_masked", result.gradients->masked.get()});
    tensors.push_back({"d_scores", result.gradients->scores.get()});
  }
  write_safetensors(path, tensors);
}

}  // namespace

void export_numbers(const Result& result, const Exported& what, const std::filesystem::path& path) {
  const std::string extension = path.extension().native();
  if (extension == ".safetensors") return write_all(result, path);
  if (extension != ".csv" && extension != ".npy") {
    throw Error(fmt::format("Cannot export to {}: expected a name that ends in .csv, .npy or .safetensors.",
                            in_quotes(path.native())));
  }
  const Table table = what.vectors ? vector_table(result, what) : plane_table(result, what);
  if (extension == ".npy") return write_npy(path, table.values);
  write_csv(table, path);
}

}  // namespace attnscope
