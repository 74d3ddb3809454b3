/* EGL and OpenGL for the portable program: the functions that app calls, each found when it is first called. Without
   the libraries EGL's functions say that there is no display, which app tells as "OpenGL 3.3 cannot be had"; those of
   OpenGL itself are called with a context only. a test says when app calls one that is not here (packages_test.cpp). */
#define EGL_NO_X11
#define EGLAPI extern
#include <EGL/egl.h>
#include <GL/glcorearb.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void* library(const char* name, const char* older) {
  void* found = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return found || !older ? found : dlopen(older, RTLD_NOW | RTLD_LOCAL);
}

static void* egl_function(const char* name) {
  static void* egl;
  if (!egl) egl = library("libEGL.so.1", NULL);
  return egl ? dlsym(egl, name) : NULL;
}

/* libOpenGL.so.0 is a package of its own on some distributions; libGL.so.1 has the same functions. */
static void* gl_function(const char* name) {
  static void* gl;
  void* found = NULL;
  if (!gl) gl = library("libOpenGL.so.0", "libGL.so.1");
  if (gl) found = dlsym(gl, name);
  if (!found) found = (void*)eglGetProcAddress(name);
  if (!found) {
    fprintf(stderr, "attnscope: this machine's OpenGL has no %s; install libopengl0.\n", name);
    exit(1);
  }
  return found;
}

/* What is found is the same in every thread: finding it twice at once does no harm. */
#define EGL(result, none, name, parameters, arguments)                 \
  result EGLAPIENTRY name parameters {                                 \
    static result(EGLAPIENTRY * found) parameters;                     \
    if (!found) found = (result(EGLAPIENTRY*) parameters)egl_function(#name); \
    return found ? found arguments : none;                             \
  }
#define GL(result, name, parameters, arguments)                        \
  result APIENTRY name parameters {                                    \
    static result(APIENTRY * found) parameters;                        \
    if (!found) found = (result(APIENTRY*) parameters)gl_function(#name); \
    return found arguments;                                            \
  }

typedef __eglMustCastToProperFunctionPointerType Function;
EGL(EGLDisplay, EGL_NO_DISPLAY, eglGetCurrentDisplay, (void), ())
EGL(EGLContext, EGL_NO_CONTEXT, eglGetCurrentContext, (void), ())
EGL(EGLDisplay, EGL_NO_DISPLAY, eglGetPlatformDisplay, (EGLenum p, void* native, const EGLAttrib* a), (p, native, a))
EGL(EGLBoolean, EGL_FALSE, eglInitialize, (EGLDisplay d, EGLint* major, EGLint* minor), (d, major, minor))
EGL(EGLBoolean, EGL_FALSE, eglTerminate, (EGLDisplay d), (d))
EGL(EGLBoolean, EGL_FALSE, eglBindAPI, (EGLenum api), (api))
EGL(EGLContext, EGL_NO_CONTEXT, eglCreateContext, (EGLDisplay d, EGLConfig c, EGLContext share, const EGLint* a), (d, c, share, a))
EGL(EGLBoolean, EGL_FALSE, eglDestroyContext, (EGLDisplay d, EGLContext c), (d, c))
EGL(EGLBoolean, EGL_FALSE, eglMakeCurrent, (EGLDisplay d, EGLSurface draw, EGLSurface read, EGLContext c), (d, draw, read, c))
EGL(Function, NULL, eglGetProcAddress, (const char* name), (name))

GL(void, glBindFramebuffer, (GLenum target, GLuint name), (target, name))
GL(void, glBindTexture, (GLenum target, GLuint name), (target, name))
GL(GLenum, glCheckFramebufferStatus, (GLenum target), (target))
GL(void, glClear, (GLbitfield mask), (mask))
GL(void, glClearColor, (GLfloat r, GLfloat g, GLfloat b, GLfloat a), (r, g, b, a))
GL(void, glDeleteFramebuffers, (GLsizei n, const GLuint* names), (n, names))
GL(void, glDeleteTextures, (GLsizei n, const GLuint* names), (n, names))
GL(void, glDisable, (GLenum what), (what))
GL(void, glFinish, (void), ())
GL(void, glFramebufferTexture2D, (GLenum target, GLenum at, GLenum kind, GLuint name, GLint level), (target, at, kind, name, level))
GL(void, glGenFramebuffers, (GLsizei n, GLuint* names), (n, names))
GL(void, glGenTextures, (GLsizei n, GLuint* names), (n, names))
GL(void, glGetIntegerv, (GLenum what, GLint* values), (what, values))
GL(const GLubyte*, glGetString, (GLenum what), (what))
GL(void, glPixelStorei, (GLenum what, GLint value), (what, value))
GL(void, glReadPixels, (GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type, void* to), (x, y, w, h, format, type, to))
GL(void, glTexImage2D, (GLenum target, GLint level, GLint inside, GLsizei w, GLsizei h, GLint border, GLenum format, GLenum type, const void* from), (target, level, inside, w, h, border, format, type, from))
GL(void, glTexParameteri, (GLenum target, GLenum what, GLint value), (target, what, value))
GL(void, glTexSubImage2D, (GLenum target, GLint level, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type, const void* from), (target, level, x, y, w, h, format, type, from))
GL(void, glViewport, (GLint x, GLint y, GLsizei w, GLsizei h), (x, y, w, h))
