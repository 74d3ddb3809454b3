#include "core/models/image_patches.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

/// The patches as rows, with values in the order channel, y, x.
Tensor patches_of(const Tensor& image, int side) {
  const std::int64_t channels = image.shape()[0], height = image.shape()[1], width = image.shape()[2];
  const std::int64_t down = height / side, across = width / side;
  Tensor patches(Shape{down * across, channels * side * side});
  float* to = patches.data();
  for (std::int64_t patch = 0; patch < down * across; ++patch)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x)
          *to++ = image.data()[(c * height + patch / across * side + y) * width + patch % across * side + x];
  return patches;
}

/// Bicubic interpolation along one axis: the place in the old grid, and the weights of its four neighbours
/// (Keys 1981, a = −0.75).
struct Taps {
  std::array<std::int64_t, 4> at;
  std::array<double, 4> share;
};
Taps taps_at(std::int64_t place, std::int64_t size, std::int64_t old_size) {
  constexpr double a = -0.75;
  const double source =
      (static_cast<double>(place) + 0.5) * static_cast<double>(old_size) / static_cast<double>(size) - 0.5;
  const double floor = std::floor(source), t = source - floor;
  const auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  Taps taps{{}, {far(t + 1), near(t), near(1 - t), far(2 - t)}};
  for (std::int64_t i = 0; i < 4; ++i)
    taps.at[static_cast<std::size_t>(i)] =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(floor) - 1 + i, 0, old_size - 1);
  return taps;
}

/// The table of a square grid of old × old places, interpolated to down × across.
Tensor resized(const Tensor& table, std::int64_t old, std::int64_t down, std::int64_t across) {
  const std::int64_t d = table.shape()[1];
  Tensor result(Shape{down * across, d});
  for (std::int64_t y = 0; y < down; ++y) {
    const Taps rows = taps_at(y, down, old);
    for (std::int64_t x = 0; x < across; ++x) {
      const Taps columns = taps_at(x, across, old);
      for (std::int64_t k = 0; k < d; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i)
          for (std::size_t j = 0; j < 4; ++j)
            sum += rows.share[i] * columns.share[j] *
                   static_cast<double>(table.matrix()(1 + rows.at[i] * old + columns.at[j], k));
        result.matrix()(y * across + x, k) = static_cast<float>(sum);
      }
    }
  }
  return result;
}

}  // namespace

KeptRows embed_image(const Model& model, const Tensor& image, const Work& work) {
  const ImageSpec& spec = *model.spec.image;
  const Shape& shape = image.shape();
  if (shape.rank() != 3 || shape[0] != spec.channels || shape[1] < spec.patch || shape[2] < spec.patch ||
      shape[1] % spec.patch != 0 || shape[2] % spec.patch != 0) {
    throw Error(fmt::format(
        "A picture of shape {} does not fit the model: {} channels and sides that are multiples of "
        "{} were expected.",
        to_string(shape), spec.channels, spec.patch));
  }
  const Tensor patches = patches_of(image, spec.patch);
  const std::int64_t n = patches.shape()[0], d = model.spec.d_model;
  KeptRows rows{d, {}};
  rows.resize(n + 1);
  std::copy_n(model.class_token.data(), d, rows.row(0));
  multiply(work, {patches.data(), n, patches.shape()[1], patches.shape()[1]}, model.patches,
           {rows.row(1), n, d, d});
  const std::int64_t down = shape[1] / spec.patch, across = shape[2] / spec.patch,
                     old = spec.height / spec.patch;
  const Tensor& table = model.position_table;
  for (std::int64_t k = 0; k < d; ++k) rows.row(0)[k] += table.data()[k];
  const bool same = down == old && across == spec.width / spec.patch;
  const Tensor other = same ? Tensor() : resized(table, old, down, across);
  const float* positions = same ? table.data() + d : other.data();
  for (std::int64_t i = 0; i < n * d; ++i) rows.row(1)[i] += positions[i];
  return rows;
}

}  // namespace attnscope
