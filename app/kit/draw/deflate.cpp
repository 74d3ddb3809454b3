#include "app/kit/draw/deflate.hpp"

#include <zlib.h>

#include "core/base/error.hpp"

namespace attnscope {

std::string deflated(std::string_view bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  const int status =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) throw Error("The bytes could not be packed; there is too little memory.");
  packed.resize(size);
  return packed;
}

}  // namespace attnscope
