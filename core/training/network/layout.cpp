#include "core/training/network/layout.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/training/kernels/kernels.hpp"
#include "core/weights/initialise.hpp"

namespace attnscope::training {
namespace {

class Builder {
 public:
  explicit Builder(Layout& layout) : layout_(layout) {}

  std::int64_t add(std::string name, int rows, int columns, bool decays) {
    const std::int64_t at = layout_.size;
    layout_.parameters.push_back({std::move(name), at, rows, columns, decays});
    layout_.size += padded(std::int64_t{rows} * columns);
    return at;
  }
  MapAt map(const std::string& name, int d_in, int d_out, bool bias = true) {
    MapAt map{-1, -1, d_in, d_out};
    map.weight = add(name + ".weight", d_in, d_out, true);
    if (bias) map.bias = add(name + ".bias", 1, d_out, false);
    return map;
  }
  NormAt norm(const std::string& name, int width) {
    NormAt norm;
    norm.weight = add(name + ".weight", 1, width, false);
    norm.bias = add(name + ".bias", 1, width, false);
    return norm;
  }

 private:
  Layout& layout_;
};

BlockLayout block_of(const NetworkSpec& spec, int number, Builder& builder) {
  const auto name = [&](std::string_view part) { return fmt::format("{}.{}", number, part); };
  const int d = spec.width, inside = spec.inside();
  BlockLayout block;
  const bool normed = spec.has_norms();
  if (normed) block.attention_norm = builder.norm(name("attention_norm"), d);
  block.maps = builder.map(name("query_key_value"), d, 3 * inside);
  if (spec.head_norms) {
    block.query_norm = builder.add(name("query_norm.weight"), 1, spec.d_k(), false);
    block.key_norm = builder.add(name("key_norm.weight"), 1, spec.d_k(), false);
  }
  block.output = builder.map(name("output"), inside, d);
  if (spec.inner == 0) return block;
  if (normed) block.mlp_norm = builder.norm(name("mlp_norm"), d);
  block.up = builder.map(name("up"), d, spec.inner);
  block.down = builder.map(name("down"), spec.inner, d);
  return block;
}

/// One matrix of a block, as the spec has it drawn.
Tensor drawn(const NetworkSpec& spec, int rows, int columns, std::uint64_t seed, const std::string& stream) {
  const Shape shape{rows, columns};
  if (!spec.drawing.narrow) return initialised(spec.drawing.initialiser, shape, seed, stream);
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, stream_of(stream), 0.5 / std::sqrt(static_cast<double>(spec.width)));
  return tensor;
}

template <class T>
class Drawer {
 public:
  Drawer(const NetworkSpec& spec, std::uint64_t seed, T* weights)
      : spec_(spec), seed_(seed), weights_(weights) {}

  void draw(const Parameter& parameter) {
    const std::string& name = parameter.name;
    const double d = spec_.width, narrow = 0.5 / std::sqrt(d);
    const bool tied = std::ranges::any_of(spec_.read_outs, &ReadOut::tied);
    if (name == "token_table") return normal(parameter, tied ? 1 / std::sqrt(d) : 0.5);
    if (name == "position_table") return normal(parameter, tied ? 0.1 : 0.5);
    if (name == "class_token") return normal(parameter, 0.02);
    if (name.starts_with("patches.")) return uniform(parameter, spec_.patch);
    if (name.find("norm") != name.npos && name.ends_with(".weight")) return fill(parameter, 1);
    if (name.ends_with(".bias")) return fill(parameter, 0);
    if (name.starts_with("read_out.")) return normal(parameter, narrow);
    block_matrix(parameter);
  }

 private:
  void fill(const Parameter& parameter, T value) {
    std::fill_n(weights_ + parameter.at, parameter.size(), value);
  }
  void normal(const Parameter& parameter, double sigma) {
    const std::uint64_t stream = stream_of(parameter.name);
    for (std::int64_t i = 0; i < parameter.size(); ++i)
      weights_[parameter.at + i] =
          static_cast<T>(sigma * random_normal(seed_, stream, static_cast<std::uint64_t>(i)));
  }
  void uniform(const Parameter& parameter, int fan_in) {
    const Tensor numbers = linear_bias(parameter.size(), fan_in, seed_, parameter.name);
    std::ranges::copy(numbers.values(), weights_ + parameter.at);
  }
  /// Queries, keys and values are three matrices to the initialiser, whatever lies side by side.
  void block_matrix(const Parameter& parameter) {
    const bool three =
        parameter.columns == 3 * spec_.inside() && parameter.name.find("query") != std::string::npos;
    const int parts = three ? 3 : 1, columns = parameter.columns / parts;
    double factor = spec_.drawing.gain;
    const bool joins_stream =
        parameter.name.ends_with("output.weight") || parameter.name.ends_with("down.weight");
    if (joins_stream && spec_.drawing.shrinks_depth) factor /= std::sqrt(2.0 * spec_.layers);
    for (int part = 0; part < parts; ++part) {
      const std::string stream = fmt::format("{} {}", parameter.name, part);
      const Tensor numbers = drawn(spec_, parameter.rows, columns, seed_, stream);
      for (int row = 0; row < parameter.rows; ++row)
        for (int column = 0; column < columns; ++column)
          weights_[parameter.at + std::int64_t{row} * parameter.columns + part * columns + column] =
              static_cast<T>(factor * static_cast<double>(numbers.matrix()(row, column)));
    }
  }

  const NetworkSpec& spec_;
  std::uint64_t seed_;
  T* weights_;
};

}  // namespace

std::int64_t Layout::count() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters) count += parameter.size();
  return count;
}

Layout layout_of(const NetworkSpec& spec) {
  check(spec);
  Layout layout;
  Builder builder(layout);
  if (spec.reads_patches()) {
    layout.patches = builder.map("patches", spec.patch, spec.width);
    layout.class_token = builder.add("class_token", 1, spec.width, false);
  } else {
    layout.token_table = builder.add("token_table", spec.vocabulary, spec.width, true);
  }
  if (spec.positions == Positions::Learned)
    layout.position_table = builder.add("position_table", spec.length, spec.width, true);
  for (int i = 0; i < spec.layers; ++i) layout.blocks.push_back(block_of(spec, i, builder));
  if (spec.is_pre_norm()) layout.final_norm = builder.norm("final_norm", spec.width);
  for (std::size_t i = 0; i < spec.read_outs.size(); ++i) {
    const ReadOut& read_out = spec.read_outs[i];
    const std::string name = fmt::format("read_out.{}", i);
    if (!read_out.tied) {
      layout.read_outs.push_back(builder.map(name, spec.width, read_out.classes, read_out.bias));
      continue;
    }
    MapAt map{layout.token_table, -1, spec.width, read_out.classes};
    if (read_out.bias) map.bias = builder.add(name + ".bias", 1, read_out.classes, false);
    layout.read_outs.push_back(map);
  }
  return layout;
}

template <class T>
void draw(const NetworkSpec& spec, const Layout& layout, std::uint64_t seed, T* weights) {
  std::fill_n(weights, layout.size, T(0));
  Drawer<T> drawer(spec, seed, weights);
  for (const Parameter& parameter : layout.parameters) drawer.draw(parameter);
}

template void draw<float>(const NetworkSpec&, const Layout&, std::uint64_t, float*);
template void draw<double>(const NetworkSpec&, const Layout&, std::uint64_t, double*);

}  // namespace attnscope::training
