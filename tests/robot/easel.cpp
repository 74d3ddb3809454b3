#include "tests/robot/easel.hpp"

#define GL_GLEXT_PROTOTYPES
#include <algorithm>
#include <utility>

#include <GL/glcorearb.h>

#include "app/kit/gl/offscreen.hpp"
#include "core/base/error.hpp"

namespace attnscope {
namespace {

constexpr GLuint names_looked_at = 1000;  // the last ones: a freed name is not reused soon

template <void (*generate)(GLsizei, GLuint*), void (*remove)(GLsizei, const GLuint*)>
GLuint next_name() {
  GLuint name = 0;
  generate(1, &name);
  remove(1, &name);
  return name;
}

GLuint next_program() {
  const GLuint name = glCreateProgram();
  glDeleteProgram(name);
  return name;
}

struct Kind {
  const char* name;
  GLboolean (*is_one)(GLuint);
  GLuint (*next)();
};
constexpr Kind kinds[] = {
    {"texture", glIsTexture, next_name<glGenTextures, glDeleteTextures>},
    {"buffer", glIsBuffer, next_name<glGenBuffers, glDeleteBuffers>},
    {"framebuffer", glIsFramebuffer, next_name<glGenFramebuffers, glDeleteFramebuffers>},
    {"vertex array", glIsVertexArray, next_name<glGenVertexArrays, glDeleteVertexArrays>},
    {"sampler", glIsSampler, next_name<glGenSamplers, glDeleteSamplers>},
    {"program", glIsProgram, next_program}};

struct Setting {
  GLenum what;
  const char* name;
  GLint at_first;
};
constexpr Setting settings[] = {{GL_DRAW_FRAMEBUFFER_BINDING, "bound framebuffer", 0},
                                {GL_READ_FRAMEBUFFER_BINDING, "framebuffer to read", 0},
                                {GL_TEXTURE_BINDING_2D, "bound texture", 0},
                                {GL_ACTIVE_TEXTURE, "texture unit", GL_TEXTURE0},
                                {GL_CURRENT_PROGRAM, "program in use", 0},
                                {GL_VERTEX_ARRAY_BINDING, "bound vertex array", 0},
                                {GL_ARRAY_BUFFER_BINDING, "bound buffer", 0},
                                {GL_PACK_ROW_LENGTH, "row length to read", 0},
                                {GL_PACK_ALIGNMENT, "alignment to read", 4},
                                {GL_UNPACK_ROW_LENGTH, "row length to write", 0}};
constexpr std::pair<GLenum, const char*> switches[] = {{GL_BLEND, "blending"},
                                                       {GL_SCISSOR_TEST, "the scissors"},
                                                       {GL_DEPTH_TEST, "the depth test"},
                                                       {GL_STENCIL_TEST, "the stencil"},
                                                       {GL_CULL_FACE, "culling"},
                                                       {GL_PRIMITIVE_RESTART, "primitive restart"}};

}  // namespace

Easel::Easel() {
  static const OffscreenContext context;
  context.make_current();
  if (const std::string found = left_behind(); !found.empty())
    throw Error("Another robot still draws, or left behind in OpenGL: " + found + ".");
  // As in a fresh context. A drawing sets its viewport, and Dear ImGui sets the unpack alignment without
  // restoring it.
  glViewport(0, 0, 0, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

unsigned error_in_opengl() { return glGetError(); }

std::string left_behind() {
  std::string found;
  const auto tell = [&found](const std::string& words) { found += (found.empty() ? "" : ", ") + words; };
  for (const Kind& kind : kinds) {
    const GLuint end = kind.next();
    for (GLuint name = std::max(end, names_looked_at + 1) - names_looked_at; name < end; ++name)
      if (kind.is_one(name)) tell(kind.name + (" " + std::to_string(name)));
  }
  for (const Setting& setting : settings) {
    GLint now = 0;
    glGetIntegerv(setting.what, &now);
    if (now != setting.at_first) tell(setting.name + (" " + std::to_string(now)));
  }
  for (const auto& [what, name] : switches)
    if (glIsEnabled(what)) tell(name);
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) tell("error " + std::to_string(error));
  return found;
}

}  // namespace attnscope
