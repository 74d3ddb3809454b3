// app/kit/gl: an OpenGL 3.3 core context without any display, and a framebuffer to draw into. `render` on the
// command line and the tests use it.
#pragma once

#include <memory>
#include <string>

#include "app/kit/draw/image.hpp"

namespace attnscope {

/// EGL surfaceless on Mesa, else the first EGL device that gives a context. The constructor makes it current
/// on the calling thread; the destructor makes the previous one current again. Several may exist at a time.
/// Throws Error that names the missing packages.
class OffscreenContext {
 public:
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

  /// Makes it current on the calling thread, until another one is.
  void make_current() const;
  /// Version and renderer, as OpenGL names them. The context must be current.
  std::string description() const;

 private:
  void *display_before_ = nullptr, *context_before_ = nullptr;
  void* display_ = nullptr;
  void* context_ = nullptr;
};

/// The destructor binds the framebuffer again that was bound at construction.
class KeptTarget {
 public:
  KeptTarget();
  ~KeptTarget();
  KeptTarget(const KeptTarget&) = delete;
  KeptTarget& operator=(const KeptTarget&) = delete;

 private:
  int draw_ = 0, read_ = 0;
  int viewport_[4] = {};
};

/// A colour target in the current context.
class Framebuffer {
 public:
  Framebuffer(int width, int height);
  ~Framebuffer();
  Framebuffer(const Framebuffer&) = delete;
  Framebuffer& operator=(const Framebuffer&) = delete;
  int width() const { return width_; }
  int height() const { return height_; }
  void bind() const;   // as the draw target, viewport set
  Image read() const;  // top row first
  /// Blocks until the driver has drawn everything.
  void finish() const;

 private:
  unsigned framebuffer_ = 0, texture_ = 0;
  int width_, height_;
};

}  // namespace attnscope
