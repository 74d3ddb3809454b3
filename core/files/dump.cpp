#include "core/files/dump.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/files/npy.hpp"
#include "core/files/posix.hpp"
#include "core/settings_check.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_arrays = 4096;  // of a folder that are looked at

std::string grouped(std::int64_t number) {
  std::string digits = fmt::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

/// [batch][n][heads][d] as [batch][heads][n][d].
Tensor heads_first(const Tensor& tensor) {
  const Shape& s = tensor.shape();
  Tensor out(Shape{s[0], s[2], s[1], s[3]});
  const std::int64_t width = s[3];
  for (std::int64_t b = 0; b < s[0]; ++b)
    for (std::int64_t i = 0; i < s[1]; ++i)
      for (std::int64_t h = 0; h < s[2]; ++h)
        std::copy_n(tensor.data() + ((b * s[1] + i) * s[2] + h) * width, width,
                    out.data() + ((b * s[2] + h) * s[1] + i) * width);
  return out;
}

}  // namespace

Dump::Dump(const std::filesystem::path& path, Reading* reading) : path_(path), reading_(reading) {
  std::vector<NamedRank> names;
  if (lower_extension(path) != ".npy") {
    tensors_ = std::make_unique<const SafetensorsFile>(path);
    for (const TensorEntry& entry : tensors_->tensors())
      names.push_back({entry.name, static_cast<int>(entry.shape.size())});
  } else {
    const auto add = [&](const std::filesystem::path& file) {
      const Shape shape = npy_shape(file);
      const std::string name = printable(file.stem().native());
      std::vector<std::int64_t>& sizes = array_shapes_[name];
      for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
      arrays_[name] = file;
      names.push_back({name, shape.rank()});
    };
    add(path);
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(
             path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), unreadable)) {
      if (lower_extension(entry.path()) != ".npy" || entry.path().filename() == path.filename()) continue;
      if (arrays_.size() >= most_arrays) break;
      try {
        add(entry.path());
      } catch (const Error&) {  // a neighbour that is none; whoever opens it is told
      }
    }
  }
  layers_ = find_layers(names, tensors_ == nullptr);
}

std::vector<std::int64_t> Dump::shape_of(const std::string& name) const {
  if (!tensors_) return array_shapes_.at(name);
  return tensors_->find(name)->shape;
}

std::uint64_t Dump::count_of(const std::string& name) const {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape_of(name)) count *= static_cast<std::uint64_t>(size);
  return count;
}

Tensor Dump::read(const std::string& name) const {
  if (!tensors_) return read_npy<float>(arrays_.at(name), reading_);
  return to_tensor<float>(*tensors_->find(name), path_, reading_);
}

void Dump::refuse(const std::string& name, const std::string& what) const {
  throw Error(fmt::format("{}: {} {}.", in_quotes(path_.native()), in_quotes(name), what));
}

std::vector<std::int64_t> Dump::sizes_of(const std::string& name, bool tokens_first) const {
  std::vector<std::int64_t> sizes = shape_of(name);
  sizes.insert(sizes.begin(), 4 - sizes.size(), 1);
  if (tokens_first) std::swap(sizes[1], sizes[2]);
  return sizes;
}

std::string Dump::facts(const LayerNames& layer) const {
  const bool weights = !layer.weights.empty();
  const std::vector<std::int64_t> sizes =
      weights ? sizes_of(layer.weights, false) : sizes_of(layer.query, are_tokens_first(layer.query));
  return fmt::format("{}{} heads, {} × {}", weights ? "weights of " : "", sizes[1], grouped(sizes[2]),
                     grouped(sizes[3]));
}

std::string Dump::title(const std::filesystem::path& path, std::string_view layer) {
  const std::string file = printable(path.filename().native());
  return layer.empty() ? file : file + " · " + printable(layer);
}

bool Dump::are_tokens_first(const std::string& name) const {
  if (!tensors_ || !tensors_->metadata().contains("layout")) return name.find("hook") != std::string::npos;
  const std::string& layout = tensors_->metadata().at("layout");
  if (layout != "tokens first" && layout != "heads first")
    refuse("layout", fmt::format("in the metadata is {}, expected \"heads first\" or \"tokens first\"",
                                 in_quotes(layout)));
  return layout == "tokens first";
}

Tensor Dump::four_dimensional(const std::string& name) const {
  const std::vector<std::int64_t> sizes = sizes_of(name, false);
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    refuse(name,
           fmt::format("has shape [{}], expected sizes of at least 1", fmt::join(shape_of(name), ", ")));
  return read(name).reshaped(Shape(sizes));
}

TensorPtr Dump::vectors(const std::string& name) const {
  if (!are_tokens_first(name)) return std::make_shared<const Tensor>(four_dimensional(name));
  if (shape_of(name).size() < 3)
    refuse(name, fmt::format("has shape [{}], expected 3 or 4 dimensions where tokens come before heads",
                             fmt::join(shape_of(name), ", ")));
  return std::make_shared<const Tensor>(heads_first(four_dimensional(name)));
}

TensorPtr Dump::log_weights(const std::string& name) const {
  constexpr double tolerance = 0.02;  // of what bfloat16 leaves of a sum
  const std::vector<std::int64_t> sizes = sizes_of(name, false);
  Tensor weights = four_dimensional(name);
  const std::int64_t keys = sizes[3], rows = weights.size() / keys;
  expect(reading_, static_cast<std::uint64_t>(weights.size()));  // to be looked at
  for (std::int64_t row = 0; row < rows; ++row) {
    float* const w = weights.data() + row * keys;
    double sum = 0;
    for (std::int64_t key = 0; key < keys; ++key) {
      if (!(w[key] >= 0) || std::isinf(w[key]))
        refuse(name, fmt::format("holds {} at row {}, key {}, expected weights from 0 to 1", w[key],
                                 row % sizes[2], key));
      sum += static_cast<double>(w[key]);
    }
    if (sum != 0 && std::abs(sum - 1) > tolerance)
      refuse(name,
             fmt::format("has a row (head {}, query {}) that adds up to {:.4g}, expected weights that add "
                         "up to 1: those after softmax and before dropout",
                         row / sizes[2] % sizes[1], row % sizes[2], sum));
    for (std::int64_t key = 0; key < keys; ++key) w[key] = std::log(w[key]);  // ln 0 = -∞ hides the key
    advance(reading_, static_cast<std::uint64_t>(keys));
  }
  return std::make_shared<const Tensor>(std::move(weights));
}

void Dump::check_sizes(const LayerNames& layer) const {
  if (!layer.weights.empty()) {
    const std::vector<std::int64_t> w = sizes_of(layer.weights, false);
    return check_memory({.batch = w[0], .heads = w[1], .kv_heads = w[1], .queries = w[2], .keys = w[3]},
                        true);
  }
  const bool tokens_first = are_tokens_first(layer.query);
  const std::vector<std::int64_t> q = sizes_of(layer.query, tokens_first),
                                  v = sizes_of(layer.value, tokens_first);
  check_memory({.batch = q[0],
                .heads = q[1],
                .kv_heads = v[1],
                .queries = q[2],
                .keys = v[2],
                .d_model = q[1] * v[3],
                .d_k = q[3],
                .d_v = v[3]});
}

Document Dump::document(const LayerNames& layer) const {
  try {
    check_sizes(layer);  // before anything is read
  } catch (const Error& error) {
    const std::string where = in_quotes(path_.native()), what = error.what();
    throw Error(what.starts_with(where) ? what : where + ": " + what);
  }
  for (const std::string* name : {&layer.query, &layer.key, &layer.value, &layer.weights})
    if (!name->empty()) expect(reading_, count_of(*name));
  Document document;
  document.title = title(path_, layer.name);
  document.positions = Positions::None;  // whatever made the queries and keys has put them in
  if (layer.weights.empty()) {
    document.input.given = {vectors(layer.query), vectors(layer.key), vectors(layer.value)};
    return document;
  }
  const TensorPtr logarithms = log_weights(layer.weights);
  const Shape& s = logarithms->shape();
  const auto zeros = [&](std::int64_t tokens) {
    return std::make_shared<const Tensor>(Shape{s[0], s[1], tokens, 1});
  };
  document.input.given = {zeros(s[2]), zeros(s[3]), zeros(s[3])};
  document.scaling.kind = Scaling::Kind::Off;
  document.masking.additive = logarithms;
  return document;
}

}  // namespace attnscope
