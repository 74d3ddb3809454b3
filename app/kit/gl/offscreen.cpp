#include "app/kit/gl/offscreen.hpp"

#define GL_GLEXT_PROTOTYPES
#define EGL_NO_X11
#include <algorithm>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

/// A current OpenGL 3.3 core context on this display. EGL_NO_CONTEXT if there is none; the display is then
/// closed again.
EGLContext make_current_on(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) return EGL_NO_CONTEXT;
  constexpr EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                               3,
                               EGL_CONTEXT_MINOR_VERSION,
                               3,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                               EGL_NONE};
  if (eglBindAPI(EGL_OPENGL_API)) {
    const EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
    if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      return context;
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
  }
  eglTerminate(display);
  return EGL_NO_CONTEXT;
}

}  // namespace

OffscreenContext::OffscreenContext()
    : display_before_(eglGetCurrentDisplay()), context_before_(eglGetCurrentContext()) {
  display_ = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  context_ = make_current_on(display_);
  if (context_ != EGL_NO_CONTEXT) return;

  // Machines with a vendor's driver and without Mesa offer their graphics cards as devices.
  const auto query_devices =
      reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  EGLDeviceEXT devices[16] = {};
  EGLint count = 0;
  if (query_devices && query_devices(16, devices, &count)) {
    for (EGLint i = 0; i < count; ++i) {
      display_ = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
      context_ = make_current_on(display_);
      if (context_ != EGL_NO_CONTEXT) return;
    }
  }
  throw Error(
      "OpenGL 3.3 cannot be had without a display here; install Mesa's software drawing: "
      "apt install libegl-mesa0 libgl1-mesa-dri.");
}

// The display stays open: EGL has one for the whole process, so closing it would end every other context on
// it, and opening it again takes most of the time that a context takes.
OffscreenContext::~OffscreenContext() {
  if (eglGetCurrentContext() == context_ &&
      (context_before_ == EGL_NO_CONTEXT ||
       !eglMakeCurrent(display_before_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_before_)))
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
}

void OffscreenContext::make_current() const {
  if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
    throw Error("The OpenGL context cannot be made current: another thread has it.");
}

std::string OffscreenContext::description() const {
  const auto text = [](GLenum what) {
    const GLubyte* const answer = glGetString(what);
    return std::string(answer ? reinterpret_cast<const char*>(answer) : "?");
  };
  return text(GL_VERSION) + ", " + text(GL_RENDERER);
}

KeptTarget::KeptTarget() {
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_);
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_);
  glGetIntegerv(GL_VIEWPORT, viewport_);
}

KeptTarget::~KeptTarget() {
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<unsigned>(draw_));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<unsigned>(read_));
  glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
}

Framebuffer::Framebuffer(int width, int height) : width_(width), height_(height) {
  int largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  if (width < 1 || height < 1 || width > largest || height > largest)
    throw Error("A picture of " + std::to_string(width) + "x" + std::to_string(height) +
                " pixels cannot be drawn here; each side may be 1 to " + std::to_string(largest) + ".");
  glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glGenFramebuffers(1, &framebuffer_);
  bind();
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return;
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteTextures(1, &texture_);
  throw Error("There is not enough memory for a picture of " + std::to_string(width) + "x" +
              std::to_string(height) + " pixels.");
}

Framebuffer::~Framebuffer() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteTextures(1, &texture_);
}

void Framebuffer::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, width_, height_);
}

void Framebuffer::finish() const {
  bind();
  glFinish();
}

Image Framebuffer::read() const {
  Image image(width_, height_);
  bind();
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  for (int top = 0, bottom = height_ - 1; top < bottom; ++top, --bottom)  // OpenGL's first row is the lowest
    std::swap_ranges(&image.at(0, top), &image.at(0, top) + width_, &image.at(0, bottom));
  return image;
}

}  // namespace attnscope
