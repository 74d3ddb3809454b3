#include "gpu/cublas.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <string>

#include "core/base/error.hpp"

namespace attnscope::gpu {

namespace {

/// The library and its functions that are used.
class Library {
 public:
  /// Null if it is not installed.
  static const Library* open() {
    static const Library library;
    return library.is_complete() ? &library : nullptr;
  }

  decltype(&::cublasCreate_v2) create = nullptr;
  decltype(&::cublasDestroy_v2) destroy = nullptr;
  decltype(&::cublasSetStream_v2) set_stream = nullptr;
  // Overloaded for C++.
  cublasStatus_t (*multiply)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                             const void* alpha, const void* a, cudaDataType, int a_column, const void* b,
                             cudaDataType, int b_column, const void* beta, void* c, cudaDataType,
                             int c_column, cublasComputeType_t, cublasGemmAlgo_t) = nullptr;
  decltype(&::cublasGetStatusString) words = nullptr;

 private:
  Library() {
    // The functions are the same in all versions; the one that the program was built with comes first. Never
    // closed: it has its own threads and handlers.
    for (const int major : {CUBLAS_VER_MAJOR, 13, 12})
      for (const char* folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) {
        if (handle_ != nullptr) break;
        const std::string name = folder + ("libcublas.so." + std::to_string(major));
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      }
    if (handle_ == nullptr) return;
    find(create, "cublasCreate_v2");
    find(destroy, "cublasDestroy_v2");
    find(set_stream, "cublasSetStream_v2");
    find(multiply, "cublasGemmEx");
    find(words, "cublasGetStatusString");
  }
  template <class F>
  void find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(handle_, name));
  }
  bool is_complete() const {
    return create != nullptr && destroy != nullptr && set_stream != nullptr && multiply != nullptr &&
           words != nullptr;
  }

  void* handle_ = nullptr;
};

cudaDataType_t type_of(NumberKind kind) {
  switch (kind) {
    case NumberKind::Bfloat: return CUDA_R_16BF;
    case NumberKind::Half: return CUDA_R_16F;
    case NumberKind::Float: break;
  }
  return CUDA_R_32F;
}

int size_of_side(std::int64_t size) {
  if (size > 0x7fffffff) throw Error("A matrix has a side that cuBLAS cannot count.");
  return static_cast<int>(size);
}

class Handle final : public Cublas {
 public:
  Handle(const Library& library, cublasHandle_t handle) : library_(library), handle_(handle) {}
  ~Handle() override { library_.destroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// cuBLAS is column-major: its matrices are these transposed, yᵀ = Wᵀ·xᵀ.
  void multiply(const RowProduct& p) override {
    const float one = 1, zero = 0;
    const cudaDataType_t type = type_of(p.kind);
    const int rows = size_of_side(p.rows), in = size_of_side(p.d_in), out = size_of_side(p.d_out);
    const cublasStatus_t status =
        library_.multiply(handle_, p.out_in ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, out, rows, in, &one,
                          p.weights, type, p.out_in ? in : out, p.x, type, size_of_side(p.x_row), &zero, p.y,
                          CUDA_R_32F, size_of_side(p.y_row), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS)
      throw Error(std::string("The graphics card failed while multiplying: ") + library_.words(status) + ".");
  }

 private:
  const Library& library_;
  cublasHandle_t handle_;
};

}  // namespace

std::unique_ptr<Cublas> Cublas::open(CUstream_st* stream, std::string& why_not) {
  const Library* const library = Library::open();
  if (library == nullptr) {
    why_not = "cuBLAS " + std::to_string(CUBLAS_VER_MAJOR) +
              " (libcublas) is not installed, so the CPU runs models.";
    return nullptr;
  }
  cublasHandle_t handle = nullptr;
  const cublasStatus_t status = library->create(&handle);
  if (status != CUBLAS_STATUS_SUCCESS) {
    why_not = std::string("cuBLAS does not start (") + library->words(status) + "), so the CPU runs models.";
    return nullptr;
  }
  auto made = std::make_unique<Handle>(*library, handle);
  if (library->set_stream(handle, stream) == CUBLAS_STATUS_SUCCESS) return made;
  why_not = "cuBLAS does not work beside the other kernels, so the CPU runs models.";
  return nullptr;
}

}  // namespace attnscope::gpu
