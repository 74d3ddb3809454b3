// app/views/picture: the patches of a picture: their tokens and their places.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/files/formats/picture_file.hpp"

namespace attnscope {

struct Patches {
  std::int64_t rows = 1, columns = 1, side = 1;  // side: pixels of the model's picture
  std::int64_t first = 0;                        // number of tokens before the patches: the class token
  std::int64_t tokens() const { return first + rows * columns; }

  /// "patch 3,4", row and column; "[CLS]".
  std::string name(std::int64_t token) const;
  /// "3,4".
  std::string place(std::int64_t token) const;
  /// The patch in a box that shows the picture; empty if the token is not a patch.
  Box box(const Box& picture, std::int64_t token) const;
  std::int64_t at(const Box& picture, ImVec2 point) const;
  /// The token one step away, within the picture; from the class token to the first patch.
  std::int64_t neighbour(std::int64_t token, int down, int right) const;
  /// A frame around a patch, with a halo that is visible on any picture.
  void draw_ring(const Ui&, const Box& picture, std::int64_t token, Rgba) const;

  /// The numbers that a token gives to each patch, [rows][columns], or, if not `forward`, those that each
  /// patch gives to it. `numbers`: [tokens][tokens].
  template <class Matrix>
  std::vector<float> values(const Matrix& numbers, std::int64_t token, bool forward) const {
    std::vector<float> all;
    all.reserve(static_cast<std::size_t>(rows * columns));
    for (std::int64_t j = first; j < tokens(); ++j)
      all.push_back(static_cast<float>(forward ? numbers(token, j) : numbers(j, token)));
    return all;
  }
};

/// Those of the picture that the open model reads.
Patches patches_of(const Shown&);
/// Lines between patches, if these are large enough.
void draw_patch_lines(const Ui&, const Patches&, const Box& picture);
/// The model's input picture, as bytes.
const RgbPicture& kept_photo(Scene&);

}  // namespace attnscope
