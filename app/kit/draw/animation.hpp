// app/kit/draw: a sequence of pictures in one file: an animated PNG, which every browser plays. A program
// that knows only PNG shows its first picture (PNG specification, third edition, section 11.3.6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/kit/draw/image.hpp"

namespace attnscope {

class AnimatedPng {
 public:
  /// Appends a picture that is shown for `milliseconds`: 0 to 65,535,000, above 65,535 rounded to hundredths,
  /// tenths or whole seconds. All pictures have the size of the first. Throws Error for another time or size.
  /// Only the rectangle that has changed is stored.
  void add(const Image&, int milliseconds);
  std::size_t size() const { return frames_.size(); }
  /// The bytes of the file; it plays for ever. Throws Error without a picture.
  std::string finish() const;

 private:
  struct Frame {
    int x = 0, y = 0, width = 0, height = 0;
    int milliseconds = 0;
    std::string pixels;  // the data of the IDAT chunks of a PNG of the rectangle
  };

  std::vector<Frame> frames_;
  std::string head_;  // of the first picture's PNG: signature and IHDR
  Image last_;
};

}  // namespace attnscope
