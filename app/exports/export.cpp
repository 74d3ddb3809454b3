#include "app/exports/export.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/scene.hpp"
#include "core/base/error.hpp"
#include "core/document/known.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/streaming/tile.hpp"
#include "core/text/csv.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// The matrix with the labels of its rows and columns.
struct Sheet {
  Tensor values;  // [rows][columns]
  std::vector<std::string> rows, columns;
};

Sheet plane_table(const LayerResult& result, ResultStats& stats, const Exported& what) {
  stats.tensor(what.plane);
  stats.finish();  // a difference may still be on its way
  const auto matrix = stats.matrix(what.plane, what.sequence, what.head);
  Sheet table{Tensor(Shape{matrix.rows(), matrix.cols()}), {}, {}};
  table.values.matrix() = matrix;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    table.rows.push_back(plain(query_label(result, what.sequence, i)));
  for (std::int64_t j = 0; j < matrix.cols(); ++j)
    table.columns.push_back(plain(key_label(result, what.sequence, j)));
  return table;
}

Sheet numbered(const ConstMatrixMap<float>& matrix) {
  Sheet table{Tensor(Shape{matrix.rows(), matrix.cols()}), {}, {}};
  table.values.matrix() = matrix;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) table.rows.push_back(std::to_string(i));
  for (std::int64_t j = 0; j < matrix.cols(); ++j) table.columns.push_back(std::to_string(j));
  return table;
}

Sheet vector_table(const LayerResult& result, const Exported& what) {
  const Tensor& tensor = *result.trace[*what.vectors];
  const bool heads = tensor.shape().rank() == 4;
  const std::int64_t head = heads ? what.head * tensor.shape()[1] / result.dimensions.heads : 0;
  return numbered(heads ? tensor.matrix(what.sequence, head) : tensor.matrix(what.sequence));
}

/// A bias is one row; token vectors are those of the chosen sequence, and for Q, K and V those of the chosen
/// head.
Sheet block_table(const LayerResult& result, const Exported& what) {
  const Tensor& tensor = *numbers_of(result.document, *what.weights);
  const Shape& shape = tensor.shape();
  const auto inside = [](std::int64_t index, std::int64_t size) { return std::min(index, size - 1); };
  if (shape.rank() == 4) {
    const std::int64_t b = inside(what.sequence, shape[0]), h = inside(what.head, shape[1]);
    return numbered(tensor.matrix(b, h));
  }
  if (shape.rank() == 3) return numbered(tensor.matrix(inside(what.sequence, shape[0])));
  if (shape.rank() == 1) return numbered(ConstMatrixMap<float>(tensor.data(), 1, tensor.size()));
  return numbered(tensor.matrix());
}

/// The exact weights of the cells in sight, computed on demand.
Sheet region_table(const LayerResult& result, const Exported& what, ThreadPool& pool) {
  const auto& [first, queries, keys] = what.region;
  if (static_cast<double>(queries) * static_cast<double>(keys) > static_cast<double>(most_exported_cells)) {
    throw Error(
        fmt::format("{} x {} cells are in sight, more than the {} that are exported at once; zoom in first.",
                    grouped(queries), grouped(keys), grouped(most_exported_cells)));
  }
  const Survey& survey = *result.surveys[static_cast<std::size_t>(what.sequence)];
  TileRequest request;
  request.head = what.head;
  request.rows = {first.query, first.query + queries, 1};
  request.first_key = first.key;
  request.last_key = first.key + keys;
  Sheet table{tile(survey.problem(), request, &survey.known, Work{pool, {}}), {}, {}};
  for (std::int64_t i = 0; i < queries; ++i)
    table.rows.push_back(query_label(result, what.sequence, first.query + i));
  for (std::int64_t j = 0; j < keys; ++j)
    table.columns.push_back(key_label(result, what.sequence, first.key + j));
  return table;
}

Sheet table_of(const LayerResult& result, ResultStats& stats, const Exported& what, ThreadPool& pool) {
  if (result.is_long()) return region_table(result, what, pool);
  if (what.weights && numbers_of(result.document, *what.weights)) return block_table(result, what);
  return what.vectors ? vector_table(result, what) : plane_table(result, stats, what);
}

/// A line for each row, with the labels as `label` writes them.
template <class Label>
std::string lines_of(const Sheet& table, char separator, std::string_view line_end, const Label& label) {
  std::string text;
  for (const std::string& column : table.columns) text += separator + label(column);
  text += line_end;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    text += label(table.rows[i]);
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      text += fmt::format("{}{}", separator, table.values.values()[i * table.columns.size() + j]);
    text += line_end;
  }
  return text;
}

std::string lower(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

void write_all(const LayerResult& result, const std::filesystem::path& path) {
  std::vector<NamedTensor> tensors;
  for (const StageInfo& row : stage_table)
    if (const TensorPtr& tensor = result.trace[row.stage]; tensor && is_known(result.document, row.stage))
      tensors.push_back({lower(row.name), tensor.get()});
  if (result.gradients) {
    tensors.push_back({"d_weights", result.gradients->weights.get()});
    tensors.push_back({"d_masked", result.gradients->masked.get()});
    tensors.push_back({"d_scores", result.gradients->scores.get()});
  }
  write_safetensors(path, tensors);
}

}  // namespace

void export_numbers(const LayerResult& result, ResultStats& stats, const Exported& what, ThreadPool& pool,
                    const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".safetensors") return write_all(result, path);
  if (extension != ".csv" && extension != ".npy") {
    throw Error(
        fmt::format("Cannot export to {}: expected a name that ends in .json, .html, .csv, .npy, "
                    ".safetensors, .png or .svg.",
                    in_quotes(path.native())));
  }
  const Sheet table = table_of(result, stats, what, pool);
  if (extension == ".npy") return write_npy(path, table.values);
  const std::string text =
      lines_of(table, ',', "\r\n", [](const std::string& label) { return csv_field(label); });
  write_atomically(path, std::array{std::string_view(text)});
}

std::string tab_separated(const LayerResult& result, ResultStats& stats, const Exported& what,
                          ThreadPool& pool) {
  const Sheet table = table_of(result, stats, what, pool);
  // A tab or a line break in a token would shift all later cells.
  const auto label = [](std::string text) {
    for (char& c : text) c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    return text;
  };
  return lines_of(table, '\t', "\n", label);
}

}  // namespace attnscope
