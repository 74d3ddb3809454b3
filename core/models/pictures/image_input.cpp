#include "core/models/pictures/image_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr int weight_bits = 22;  // as in Pillow: 32 bits minus those of a byte, minus two spare ones

double filter_at(Resampling kind, double x) {
  x = std::abs(x);
  if (kind == Resampling::Bilinear) return x < 1 ? 1 - x : 0;
  constexpr double a = -0.5;
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/// How one pixel of the result is computed: neighbours from `first` on, with weights scaled by 2^22.
struct PixelWeights {
  int first = 0;
  std::vector<std::int32_t> weights;
};

std::vector<PixelWeights> pixel_weights(int from, int to, Resampling kind) {
  const double scale = static_cast<double>(from) / to, wide = std::max(scale, 1.0);
  const double support = (kind == Resampling::Bilinear ? 1.0 : 2.0) * wide;
  std::vector<PixelWeights> all(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * scale;
    PixelWeights& made = all[static_cast<std::size_t>(i)];
    made.first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int last = std::min(from, static_cast<int>(centre + support + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (int k = made.first; k < last; ++k) {
      weights.push_back(filter_at(kind, (k - centre + 0.5) / wide));
      sum += weights.back();
    }
    for (const double weight : weights) {
      const double whole = weight / sum * (1 << weight_bits);
      made.weights.push_back(static_cast<std::int32_t>(whole + (whole < 0 ? -0.5 : 0.5)));
    }
  }
  return all;
}

std::uint8_t rounded(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> weight_bits, 0, 255));
}

/// One pass. Neighbours are `step` bytes apart; there are `lines` lines, which begin `from_line` and
/// `to_line` bytes apart.
void pass(const std::vector<PixelWeights>& weights, const std::uint8_t* from, std::uint8_t* to, int lines,
          std::int64_t from_line, std::int64_t to_line, std::int64_t step) {
  for (int at = 0; at < lines; ++at) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const PixelWeights& of = weights[i];
      for (int channel = 0; channel < 3; ++channel) {
        std::int64_t sum = 1 << (weight_bits - 1);
        for (std::size_t k = 0; k < of.weights.size(); ++k)
          sum += static_cast<std::int64_t>(of.weights[k]) *
                 from[at * from_line + (of.first + static_cast<std::int64_t>(k)) * step + channel];
        to[at * to_line + static_cast<std::int64_t>(i) * step + channel] = rounded(sum);
      }
    }
  }
}

/// The keys of preprocessor_config.json; errors name the key.
class PreparationFile {
 public:
  PreparationFile(const nlohmann::json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.is_object()) throw Error(fmt::format("{}: an object was expected.", where_));
  }
  ImagePreparation read(ImagePreparation made) const {
    check_defaults();
    made.resize = flag("do_resize", true);
    if (made.resize) read_size(made);
    const auto filter = static_cast<int>(number("resample", 2));
    if (filter != 2 && filter != 3) refuse("resample", "is neither 2 (bilinear) nor 3 (bicubic)");
    made.resampling = static_cast<Resampling>(filter);
    made.factor = flag("do_rescale", true) ? number("rescale_factor", made.factor) : 1;
    if (made.factor <= 0)
      refuse("rescale_factor", fmt::format("is {}; a number above 0 was expected", made.factor));
    if (flag("do_center_crop", false)) refuse("do_center_crop", "asks to crop, which is not done here");
    for (const char* other : {"do_flip_channel_order", "do_grayscale", "do_thumbnail", "do_align_long_axis",
                              "do_pad", "offset", "rescale_offset"})
      if (flag(other, false)) refuse(other, "is true, which would change the pixels and is not done here");
    if (flag("do_normalize", true)) {
      triple("image_mean", made.mean);
      triple("image_std", made.deviation);
    } else {
      made.mean = {0, 0, 0};
      made.deviation = {1, 1, 1};
    }
    for (const double deviation : made.deviation)
      if (deviation == 0) refuse("image_std", "is 0");
    check_range(made);
    return made;
  }

 private:
  [[noreturn]] void refuse(const char* key, const std::string& what) const {
    throw Error(fmt::format("{}: {} {}.", where_, key, what));
  }
  void check_range(const ImagePreparation& made) const {
    constexpr double most = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < 3; ++i)
      for (const double byte : {0.0, 255.0})
        if (!(std::abs((byte * made.factor - made.mean[i]) / made.deviation[i]) <= most))
          refuse("rescale_factor, image_mean and image_std", "make numbers that float32 cannot hold");
  }
  /// The file holds only what differs from the defaults of its processor's class. Only ViT's defaults are
  /// known here.
  void check_defaults() const {
    const char* key =
        find("image_processor_type") != nullptr ? "image_processor_type" : "feature_extractor_type";
    const nlohmann::json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_string()) refuse(key, "is no string");
    const auto name = found->get<std::string>();
    const auto is_of = [&](const char* family) { return name.starts_with(family); };
    if (is_of("ViTImageProcessor") || is_of("ViTFeatureExtractor")) return;
    const auto need = [&](const char* other) {
      if (!value_.contains(other))
        refuse(other,
               fmt::format("is missing, and what {} does then is not known here", in_quotes(name, 60)));
    };
    if (flag("do_resize", true))
      for (const char* other : {"size", "resample"}) need(other);
    if (flag("do_normalize", true))
      for (const char* other : {"image_mean", "image_std"}) need(other);
    if (!is_of("Beit") && !is_of("Siglip") && !is_of("Blip")) need("do_center_crop");
  }
  const nlohmann::json* find(const char* key) const {
    const auto at = value_.find(key);
    return at == value_.end() || at->is_null() ? nullptr : &*at;
  }
  bool flag(const char* key, bool fallback) const {
    const nlohmann::json* found = find(key);
    if (found != nullptr && !found->is_boolean()) refuse(key, "is neither true nor false");
    return found == nullptr ? fallback : found->get<bool>();
  }
  double number(const char* key, double fallback) const {
    const nlohmann::json* found = find(key);
    if (found == nullptr) return fallback;
    if (!found->is_number() || !std::isfinite(found->get<double>())) refuse(key, "is no number");
    return found->get<double>();
  }
  int side(const nlohmann::json& value) const {
    constexpr double most = 16'384;
    if (!value.is_number_integer() || value.get<double>() < 1 || value.get<double>() > most)
      refuse("size", "has a side that is no whole number from 1 to 16384");
    return value.get<int>();
  }
  void read_size(ImagePreparation& made) const {
    const nlohmann::json* size = find("size");
    if (size == nullptr) return;
    if (size->is_number()) {
      made.height = made.width = side(*size);
    } else if (size->is_object() && size->contains("height") && size->contains("width")) {
      made.height = side((*size)["height"]);
      made.width = side((*size)["width"]);
    } else {
      refuse("size", "is neither a number nor a height and a width");
    }
  }
  void triple(const char* key, std::array<double, 3>& into) const {
    const nlohmann::json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array() || found->size() != 3) refuse(key, "is not of three numbers");
    for (std::size_t i = 0; i < 3; ++i) {
      const nlohmann::json& one = (*found)[i];
      if (!one.is_number() || !std::isfinite(one.get<double>())) refuse(key, "is not of three numbers");
      into[i] = one.get<double>();
    }
  }

  const nlohmann::json& value_;
  std::string where_;
};

}  // namespace

ImagePreparation image_preparation(const std::filesystem::path& folder, const ImageSpec& spec) {
  constexpr std::size_t most_bytes = 1 << 20;
  ImagePreparation made;
  made.height = spec.height;
  made.width = spec.width;
  const std::filesystem::path path = folder / "preprocessor_config.json";
  if (!std::filesystem::exists(path)) return made;
  const nlohmann::json value = parse_python_json(read_whole(path, most_bytes), path.string());
  return PreparationFile(value, path.string()).read(made);
}

RgbPicture resized(const RgbPicture& picture, int width, int height, Resampling kind) {
  RgbPicture now = picture;
  if (width != now.width) {
    RgbPicture next{width, now.height, {}};
    next.bytes.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(now.height) * 3);
    pass(pixel_weights(now.width, width, kind), now.bytes.data(), next.bytes.data(), now.height,
         std::int64_t{3} * now.width, std::int64_t{3} * width, 3);
    now = std::move(next);
  }
  if (height != now.height) {
    RgbPicture next{now.width, height, {}};
    next.bytes.resize(static_cast<std::size_t>(now.width) * static_cast<std::size_t>(height) * 3);
    pass(pixel_weights(now.height, height, kind), now.bytes.data(), next.bytes.data(), now.width, 3, 3,
         std::int64_t{3} * now.width);
    now = std::move(next);
  }
  return now;
}

Tensor prepared_image(const RgbPicture& picture, const ImagePreparation& how, const ImageSpec& spec) {
  if (spec.channels != 3)
    throw Error(fmt::format("The model takes pictures of {} channels; a file gives three.", spec.channels));
  const RgbPicture sized = how.resize ? resized(picture, how.width, how.height, how.resampling) : picture;
  const std::int64_t pixels = std::int64_t{sized.width} * sized.height;
  Tensor image(Shape{3, sized.height, sized.width});
  for (std::int64_t i = 0; i < pixels; ++i)
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const double value = sized.bytes[static_cast<std::size_t>(3 * i) + channel] * how.factor;
      image.data()[static_cast<std::int64_t>(channel) * pixels + i] =
          static_cast<float>((value - how.mean[channel]) / how.deviation[channel]);
    }
  return image;
}

RgbPicture picture_of_input(const Tensor& image, const ImagePreparation& how) {
  const std::int64_t height = image.shape()[1], width = image.shape()[2], plane = height * width;
  RgbPicture picture{static_cast<int>(width), static_cast<int>(height), {}};
  picture.bytes.resize(static_cast<std::size_t>(3 * plane));
  for (std::int64_t at = 0; at < plane; ++at)
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const double value = static_cast<double>(image.data()[static_cast<std::int64_t>(channel) * plane + at]);
      const double byte = (value * how.deviation[channel] + how.mean[channel]) / how.factor;
      picture.bytes[3 * static_cast<std::size_t>(at) + channel] =
          static_cast<std::uint8_t>(std::lround(std::clamp(byte, 0.0, 255.0)));
    }
  return picture;
}

}  // namespace attnscope
