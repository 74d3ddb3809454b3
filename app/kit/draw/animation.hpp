// app/kit/draw: pictures one after the other in one file: an animated PNG, which every browser plays and
// which a program that knows only PNG shows the first picture of (PNG specification, third edition,
// section 11.3.6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/kit/draw/image.hpp"

namespace attnscope {

class AnimatedPng {
 public:
  /// One more picture, shown for so many milliseconds: 0 to 65,535,000, above 65,535 rounded to hundredths,
  /// tenths or whole seconds. All are as large as the first. Throws Error for another time or size. What is
  /// as before costs nothing: only the rectangle that has changed is kept.
  void add(const Image&, int milliseconds);
  std::size_t size() const { return frames_.size(); }
  /// The bytes of the file; it plays for ever. Throws Error without a picture.
  std::string finish() const;

 private:
  struct Frame {
    int x = 0, y = 0, width = 0, height = 0;
    int milliseconds = 0;
    std::string pixels;  // what stands in the IDAT chunks of a PNG of the rectangle
  };

  std::vector<Frame> frames_;
  std::string head_;  // of the first picture's PNG: signature and IHDR
  Image last_;
};

}  // namespace attnscope
