// tests/fuzz: how a photograph is to be turned, as EXIF and XMP say it in JPEG and PNG files.
#include "core/files/formats/picture_file.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int orientation = orientation_of({data, size});
  if (orientation < 1 || orientation > 8)
    fuzz::finding("an orientation that there is not", std::to_string(orientation));
  return 0;
}
