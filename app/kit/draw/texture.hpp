// app/kit/draw: pictures on the graphics card. A picture is painted and uploaded only when what it shows
// changed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include <imgui.h>

#include "app/kit/draw/image.hpp"

namespace attnscope {

class TextureCache {
 public:
  TextureCache() = default;
  ~TextureCache();  // needs the GL context
  TextureCache(const TextureCache&) = delete;
  TextureCache& operator=(const TextureCache&) = delete;

  /// The texture for the picture at place `id` (an ImGuiID). `content` is a hash of everything it shows;
  /// `paint` is called only if that, or the place, is new. Sampling is nearest: pictures come at screen
  /// resolution. Once a frame has painted for `patience`, places that have an older picture keep it until a
  /// later frame, so that long texts never stop the window. Each frame that a place has waited raises its
  /// limit by `patience`: no place waits for ever while a slider moves.
  ImTextureID get(ImGuiID id, std::uint64_t content, const std::function<Image()>& paint);
  /// A number that identifies a shared object in a content hash; an address does not, since the next object
  /// may have it. The number stays the same as long as the object has an owner and is never given to another
  /// object. 0 for null. Pointers that share ownership have the same number.
  std::uint64_t serial(const std::shared_ptr<const void>& object);
  /// Call once a frame, after the last get(): frees pictures that were not asked for in the last 120 frames.
  void end_frame();
  /// Pictures painted in the frame that the last end_frame() closed: 0 when nothing changed.
  int painted() const { return painted_; }
  /// Pictures that this frame postponed: draw another frame until there are none.
  int postponed() const { return postponed_; }
  /// Pictures held now.
  std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::chrono::duration<double> patience{0.008};

  struct Entry {
    unsigned texture = 0;
    std::uint64_t content = 0;
    int width = 0, height = 0, age = 0;
    int waited = 0;  // frames it was postponed
  };
  std::unordered_map<ImGuiID, Entry> entries_;
  // A key keeps the control block alive, so that a new object is never taken for one that is gone.
  std::map<std::weak_ptr<const void>, std::uint64_t, std::owner_less<>> serials_;
  std::uint64_t last_serial_ = 0;
  int painting_ = 0, painted_ = 0;
  int postponing_ = 0, postponed_ = 0;
  std::chrono::duration<double> spent_{0};  // painting in this frame
};

/// Mixes values into a content hash for TextureCache::get.
std::uint64_t mix_hash(std::uint64_t seed, std::uint64_t value);
std::uint64_t mix_hash(std::uint64_t seed, float value);
/// Deleted: an address may be reused by another object, see TextureCache::serial.
std::uint64_t mix_hash(std::uint64_t seed, const void* address) = delete;

}  // namespace attnscope
