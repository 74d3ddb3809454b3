// app/views/picture: which token is which patch of a picture, and where it lies.
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
  std::int64_t first = 0;                        // tokens before those of patches: the class token
  std::int64_t tokens() const { return first + rows * columns; }

  /// "patch 3,4", row and column; "[CLS]".
  std::string name(std::int64_t token) const;
  /// "3,4".
  std::string place(std::int64_t token) const;
  /// Where it lies in a box that shows the picture; empty where it is no patch.
  Box box(const Box& picture, std::int64_t token) const;
  std::int64_t at(const Box& picture, ImVec2 point) const;
  /// One step from a token, as far as the picture goes; from the class token to the first patch.
  std::int64_t neighbour(std::int64_t token, int down, int right) const;
  /// A frame round a patch with a halo that is seen on any picture.
  void draw_ring(const Ui&, const Box& picture, std::int64_t token, Rgba) const;

  /// What a token gives to each patch, [rows][columns], or, not forward, what each gives to it. `numbers`:
  /// [tokens][tokens].
  template <class Matrix>
  std::vector<float> values(const Matrix& numbers, std::int64_t token, bool forward) const {
    std::vector<float> all;
    all.reserve(static_cast<std::size_t>(rows * columns));
    for (std::int64_t j = first; j < tokens(); ++j)
      all.push_back(static_cast<float>(forward ? numbers(token, j) : numbers(j, token)));
    return all;
  }
};

/// Of the picture that the open model looks at.
Patches patches_of(const Shown&);
/// Lines between patches, where they are large enough.
void draw_patch_lines(const Ui&, const Patches&, const Box& picture);
/// The picture as the model is given it, as bytes.
const RgbPicture& kept_photo(Scene&);

}  // namespace attnscope
