// core/models: a picture as the tokens of a vision transformer (Dosovitskiy et al. 2021).
#pragma once

#include "core/models/run_model.hpp"

namespace attnscope {

/// The class token and one token for each patch of `image` [channels][height][width], plus their positions:
/// those of the table, which is resized by bicubic interpolation (a = −0.75, corners not aligned) for
/// pictures of another size, as in transformers. Throws Error if the number of channels differs or the
/// picture is not a whole number of patches.
KeptRows embed_image(const Model&, const Tensor& image, const Work&);

}  // namespace attnscope
