// core/models/pictures: prepares a picture for a vision transformer: resized, rescaled and normalised by the
// folder's preprocessor_config.json.
#pragma once

#include <array>
#include <filesystem>

#include "core/base/tensor.hpp"
#include "core/files/formats/picture_file.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

enum class Resampling : std::uint8_t { Bilinear = 2, Bicubic = 3 };  // the numbers in the file

struct ImagePreparation {
  bool resize = true;
  int height = 224, width = 224;
  Resampling resampling = Resampling::Bilinear;
  double factor = 1.0 / 255;  // multiplies a byte
  std::array<double, 3> mean{0.5, 0.5, 0.5}, deviation{0.5, 0.5, 0.5};
};

/// From a model's folder; without preprocessor_config.json, ViT's defaults in the model's size. Throws Error
/// naming the file and the key if it asks for something not supported (other filters, cropping, sizes by the
/// shorter edge).
ImagePreparation image_preparation(const std::filesystem::path& folder, const ImageSpec&);

/// The picture resized, bit for bit as Pillow's Image.resize: the filter spans all pixels that merge into
/// one, rows are filtered first, and each pass rounds to bytes. (Pillow 13 filters columns first where that
/// is much less work, for pictures that become wider and lower: values differ by up to 3 of 255.)
RgbPicture resized(const RgbPicture&, int width, int height, Resampling);

/// [3][height][width]: (byte · factor - mean) / deviation. Throws Error if the model takes another number of
/// channels.
Tensor prepared_image(const RgbPicture&, const ImagePreparation&, const ImageSpec&);

/// The inverse, for display: bytes from a model's input.
RgbPicture picture_of_input(const Tensor& image, const ImagePreparation&);

}  // namespace attnscope
