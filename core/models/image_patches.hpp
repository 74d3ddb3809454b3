// core/models: a picture as the tokens of a vision transformer (Dosovitskiy et al. 2021).
#pragma once

#include "core/models/run_model.hpp"

namespace attnscope {

/// The class token and a token for each patch of `image` [channels][height][width], with their positions:
/// those of the table, or, for pictures of another size, the table resized by bicubic interpolation (a =
/// −0.75, corners not aligned), as transformers does. Throws Error when the channels are others or the
/// picture is not made of whole patches.
KeptRows embed_image(const Model&, const Tensor& image, const Work&);

}  // namespace attnscope
