// core/models/pictures: a picture as a vision transformer takes it: resized, scaled and normed as the
// folder's preprocessor_config.json says.
#pragma once

#include <array>
#include <filesystem>

#include "core/base/tensor.hpp"
#include "core/files/formats/picture_file.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

enum class Resampling : std::uint8_t { Bilinear = 2, Bicubic = 3 };  // by the numbers of the file

struct ImagePreparation {
  bool resize = true;
  int height = 224, width = 224;
  Resampling resampling = Resampling::Bilinear;
  double factor = 1.0 / 255;  // of a byte
  std::array<double, 3> mean{0.5, 0.5, 0.5}, deviation{0.5, 0.5, 0.5};
};

/// Of a model's folder; where it has no preprocessor_config.json, ViT's own, in the model's size. Throws
/// Error naming the file and the key where it asks for what is not done here (other filters, cropping, sizes
/// by the shorter edge).
ImagePreparation image_preparation(const std::filesystem::path& folder, const ImageSpec&);

/// The picture in another size, bit for bit as Pillow's Image.resize: a filter as wide as the pixels that
/// become one, rows first, each pass rounded to bytes. (Pillow 13 takes the columns first where that is much
/// less work, for pictures that become wider and lower: up to 3 of 255 away.)
RgbPicture resized(const RgbPicture&, int width, int height, Resampling);

/// [3][height][width]: (byte · factor - mean) / deviation. Throws Error when the model takes other channels.
Tensor prepared_image(const RgbPicture&, const ImagePreparation&, const ImageSpec&);

/// The other way, for the eye: bytes from what the model is given.
RgbPicture picture_of_input(const Tensor& image, const ImagePreparation&);

}  // namespace attnscope
