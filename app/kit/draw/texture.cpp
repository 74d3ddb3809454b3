#include "app/kit/draw/texture.hpp"

#define GL_GLEXT_PROTOTYPES
#include <bit>
#include <utility>

#include <GL/glcorearb.h>

namespace attnscope {
namespace {

constexpr int frames_kept = 120;

unsigned create_texture() {
  unsigned texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
  return texture;
}

}  // namespace

TextureCache::~TextureCache() {
  for (const auto& [id, entry] : entries_) glDeleteTextures(1, &entry.texture);
}

ImTextureID TextureCache::get(ImGuiID id, std::uint64_t content, const std::function<Image()>& paint) {
  Entry& entry = entries_[id];
  entry.age = 0;
  if (entry.texture != 0 && entry.content == content) return static_cast<ImTextureID>(entry.texture);
  if (entry.texture != 0 && spent_ > (entry.waited + 1) * patience) {
    ++entry.waited;
    ++postponing_;
    return static_cast<ImTextureID>(entry.texture);
  }
  const auto start = std::chrono::steady_clock::now();
  const Image image = paint();
  ++painting_;
  int bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  if (entry.texture == 0) entry.texture = create_texture();
  glBindTexture(GL_TEXTURE_2D, entry.texture);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  // A picture of the same size is replaced in place: otherwise a slider drag would allocate memory for every
  // picture in every frame.
  if (image.width > 0 && image.height > 0 && image.width == entry.width && image.height == entry.height) {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, image.width, image.height, GL_RGBA, GL_UNSIGNED_BYTE,
                    image.pixels.data());
  } else {
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 image.pixels.data());
  }
  glBindTexture(GL_TEXTURE_2D, static_cast<unsigned>(bound));
  entry = {entry.texture, content, image.width, image.height, 0};
  spent_ += std::chrono::steady_clock::now() - start;
  return static_cast<ImTextureID>(entry.texture);
}

std::uint64_t TextureCache::serial(const std::shared_ptr<const void>& object) {
  if (!object) return 0;
  const auto known = serials_.find(object);
  return known != serials_.end() ? known->second : serials_[object] = ++last_serial_;
}

void TextureCache::end_frame() {
  for (auto& [id, entry] : entries_) ++entry.age;
  std::erase_if(entries_, [](const auto& item) {
    const bool stale = item.second.age > frames_kept;
    if (stale) glDeleteTextures(1, &item.second.texture);
    return stale;
  });
  std::erase_if(serials_, [](const auto& item) { return item.first.expired(); });
  painted_ = std::exchange(painting_, 0);
  postponed_ = std::exchange(postponing_, 0);
  spent_ = {};
}

// The finaliser of SplitMix64. The seed is spread over all bits first: seed ^ value alone is the same for 6
// and 2 as for 7 and 3.
std::uint64_t mix_hash(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = (seed * 0xD1342543DE82EF95u + 0x9E3779B97F4A7C15u) ^ value;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

std::uint64_t mix_hash(std::uint64_t seed, float value) {
  return mix_hash(seed, std::uint64_t{std::bit_cast<std::uint32_t>(value)});
}

}  // namespace attnscope
