#include <algorithm>
#include <cstdio>

#include "core/base/error.hpp"
#include "gpu/cublas.hpp"
#include "gpu/cuda_device.hpp"
#include "gpu/device_context.cuh"
#include "gpu/host_blocks.cuh"
#include "gpu/why_no_card.hpp"

namespace attnscope::gpu {

namespace {

/// Matrix units came with compute capability 8.0: before that the body would be empty, and who launches it
/// gets nothing. Products of warpgroups are there in code for 9.0 alone; elsewhere such a kernel stops the
/// card. can_run() keeps such launches away.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, Kernel::resident)
    entry(const __grid_constant__ typename Kernel::Pass pass) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr bool there = true;
#elif __CUDA_ARCH__ >= 800
  constexpr bool there = !NeedsGroups<Kernel>::value;
#else
  constexpr bool there = !Kernel::needs_matrix_units;
#endif
  if constexpr (there) {
    DeviceContext cx;
    Kernel::run(cx, pass);
  }
#if defined(__CUDA_ARCH__)
  if constexpr (NeedsGroups<Kernel>::value && !there) __trap();
#endif
}

std::string in_words(std::size_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  char text[40];
  if (megabytes >= 1000)
    std::snprintf(text, sizeof text, "%.1f GB", megabytes / 1000);
  else
    std::snprintf(text, sizeof text, "%.1f MB", megabytes);
  return text;
}

/// Whether nothing works on the card in this process any more (CUDA Runtime API, "Error handling").
bool is_final(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
    case cudaErrorAssert: return true;
    default: return false;
  }
}

/// Throws Error: `doing` is what was being done.
void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  throw Error(std::string("The graphics card failed while ") + doing + ": " + cudaGetErrorString(error) +
              " (" + cudaGetErrorName(error) + ")." +
              (is_final(error) ? " AttnScope has to be started again before it can use the card." : ""));
}

/// Memory that the card can read and write itself.
template <class T>
class Pinned {
 public:
  Pinned(std::size_t count, unsigned flags) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&data_), count * sizeof(T), flags),
          "taking memory of the computer");
  }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index)
      : index_(index), word_(1, cudaHostAllocMapped), blocks_(std::make_shared<HostBlocks>()) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "telling what it is");
    facts_.name = properties.name;
    check(cudaSetDevice(index), "being called");
    cudaFuncAttributes code{};
    check(cudaFuncGetAttributes(&code, entry<RowKernel<WideUnits<64>, true>>), "taking its kernels");
    facts_.capability =
        usable_capability(properties.major * 10 + properties.minor, code.ptxVersion, code.binaryVersion);
    facts_.memory = properties.totalGlobalMem;
    facts_.shared_bytes = properties.sharedMemPerBlockOptin;
#if defined(ATTNSCOPE_GROUPS)
    facts_.groups = facts_.capability == 90;
#endif
    multiprocessors_ = properties.multiProcessorCount;
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "starting");
    check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "starting");
    for (cudaEvent_t& event : clock_) check(cudaEventCreate(&event), "starting");
    for (cudaEvent_t& event : marks_)
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "starting");
    *word_.data() = 1;
    check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&word_on_card_), word_.data(), 0), "starting");
    int pools = 0;
    check(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, index), "telling what it is");
    if (pools == 0) return;
    // What is given back stays at hand: sweeps take and give back the same sizes again and again. More than
    // that is other programs' as soon as the work is done.
    check(cudaDeviceGetDefaultMemPool(&pool_, index), "starting");
    unsigned long long keep = 512ull << 20;
    check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "starting");
  }
  ~CudaDevice() override {
    cudaSetDevice(index_);
    cudaStreamSynchronize(stream_);
    products_.reset();
    for (cudaEvent_t event : clock_) cudaEventDestroy(event);
    for (cudaEvent_t event : marks_) cudaEventDestroy(event);
    cudaStreamDestroy(copies_);
    cudaStreamDestroy(stream_);
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const DeviceFacts& facts() const override { return facts_; }
  bool can_read(const Device& other) const override {
    const auto* const card = dynamic_cast<const CudaDevice*>(&other);
    return card != nullptr && card->index_ == index_;
  }

  void* allocate(std::size_t bytes) override {
    use();
    void* memory = nullptr;
    cudaError_t error = take(&memory, bytes);
    if (error == cudaErrorMemoryAllocation &&
        pool_ != nullptr) {  // what the pool holds may be in the wrong pieces
      cudaGetLastError();
      cudaStreamSynchronize(stream_);
      cudaMemPoolTrimTo(pool_, 0);
      error = take(&memory, bytes);
    }
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free_bytes = 0, all = 0;
      cudaMemGetInfo(&free_bytes, &all);
      throw Error("The graphics card has no room for " + in_words(bytes) + " more: " + in_words(free_bytes) +
                  " of its " + in_words(all) + " are free.");
    }
    check(error, "taking memory");
    return memory;
  }
  void free(void* memory) noexcept override {
    if (memory == nullptr) return;
    cudaSetDevice(index_);
    if (pool_ != nullptr)
      cudaFreeAsync(memory, stream_);
    else
      cudaFree(memory);
  }
  void upload(void* to, const void* from, std::size_t bytes, std::size_t apart, std::size_t rows) override {
    use();
    // From pageable memory, this returns when the numbers have been read.
    if (rows == 1)
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "receiving numbers");
    else if (apart >= bytes)
      check(cudaMemcpy2DAsync(to, bytes, from, apart, bytes, rows, cudaMemcpyHostToDevice, stream_),
            "receiving numbers");
    else
      for (std::size_t row = 0; row < rows; ++row)  // rows that overlap, such as one for all
        check(cudaMemcpyAsync(static_cast<char*>(to) + row * bytes,
                              static_cast<const char*>(from) + row * apart, bytes, cudaMemcpyHostToDevice,
                              stream_),
              "receiving numbers");
  }
  HostBlock host_block(std::size_t bytes) override {
    use();
    return blocks_->take(bytes);
  }
  /// In a stream of its own: who looks at a result does not wait for the one that is computed meanwhile.
  void fetch(void* to, const void* from, std::size_t bytes) override {
    use();
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copies_), "sending results");
    check(cudaStreamSynchronize(copies_), "sending results");
  }
  void clear(void* memory, std::size_t bytes) override {
    use();
    check(cudaMemsetAsync(memory, 0, bytes, stream_), "clearing memory");
  }
  void trim() override {
    use();
    check(cudaStreamSynchronize(stream_), "computing");
    if (pool_ != nullptr) check(cudaMemPoolTrimTo(pool_, 0), "giving back memory");
    blocks_->trim();
  }
  std::size_t free_memory() override {
    use();
    std::size_t free_bytes = 0, all = 0;
    check(cudaMemGetInfo(&free_bytes, &all), "telling what is free");
    unsigned long long reserved = 0, used = 0;  // what the pool holds and nobody uses
    if (pool_ != nullptr) {
      check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved),
            "telling what is free");
      check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used), "telling what is free");
    }
    return free_bytes + static_cast<std::size_t>(reserved - used);
  }
  bool can_multiply(std::string& why_not) override {
    use();
    if (!products_) products_ = Cublas::open(stream_, why_not);
    return products_ != nullptr;
  }
  void multiply(const RowProduct& product) override {
    use();
    if (product.rows == 0) return;
    std::string why_not;
    if (!can_multiply(why_not)) throw Error(why_not);
    products_->multiply(product);
  }

  void launch(const AnyPass& any, Units units, int blocks) override {
    use();
    if (!can_run(facts_, any, units))
      throw Error("The graphics card has no kernel for what was asked of it.");
    with_kernel(any, units, [&](auto kernel, const auto& pass) {
      using Kernel = decltype(kernel);
      allow_shared_memory<Kernel>();
      entry<Kernel><<<static_cast<unsigned>(blocks), Kernel::threads, Kernel::shared_bytes, stream_>>>(pass);
      check(cudaGetLastError(), "starting to compute");
    });
  }
  int resident_blocks(const AnyPass& any, Units units) override {
    use();
    int each = 0;
    with_kernel(any, units, [&](auto kernel, const auto&) {
      using Kernel = decltype(kernel);
      allow_shared_memory<Kernel>();
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, entry<Kernel>, Kernel::threads,
                                                          Kernel::shared_bytes),
            "planning");
    });
    return std::max(1, each) * multiprocessors_;
  }
  void wait() override {
    use();
    check(cudaStreamSynchronize(stream_), "computing");
  }
  Mark mark() override {
    use();
    check(cudaEventRecord(marks_[++last_mark_ % most_marks], stream_), "being marked");
    return last_mark_;
  }
  /// An event that serves a later mark now comes after the one that is meant.
  void wait_for(Mark mark) override {
    use();
    check(cudaEventSynchronize(marks_[mark % most_marks]), "computing");
  }

  void start_clock() override {
    use();
    check(cudaEventRecord(clock_[0], stream_), "measuring");
  }
  double clock_milliseconds() override {
    use();
    check(cudaEventRecord(clock_[1], stream_), "measuring");
    check(cudaEventSynchronize(clock_[1]), "computing");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, clock_[0], clock_[1]), "measuring");
    return static_cast<double>(milliseconds);
  }

  StaleWord current() override { return {word_on_card_, __atomic_load_n(word_.data(), __ATOMIC_ACQUIRE)}; }
  void make_stale() noexcept override { __atomic_add_fetch(word_.data(), 1u, __ATOMIC_RELEASE); }

 private:
  /// CUDA's current device belongs to the thread.
  void use() { check(cudaSetDevice(index_), "being called"); }
  cudaError_t take(void** memory, std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    return pool_ != nullptr ? cudaMallocAsync(memory, bytes, stream_) : cudaMalloc(memory, bytes);
  }
  template <class Kernel>
  static void allow_shared_memory() {
    if constexpr (Kernel::shared_bytes > 0)
      check(cudaFuncSetAttribute(entry<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 Kernel::shared_bytes),
            "preparing a kernel");
  }

  int index_, multiprocessors_ = 1;
  DeviceFacts facts_;
  Pinned<unsigned> word_;
  std::shared_ptr<HostBlocks> blocks_;
  unsigned* word_on_card_ = nullptr;
  cudaStream_t stream_ = nullptr, copies_ = nullptr;
  static constexpr Mark most_marks = 4;
  cudaEvent_t clock_[2]{}, marks_[most_marks]{};
  Mark last_mark_ = 0;
  cudaMemPool_t pool_ = nullptr;
  std::unique_ptr<Cublas> products_;
};

/// What CUDA says about its cards.
CardAnswers ask_cuda() {
  CardAnswers answers;
  answers.wanted = CUDART_VERSION;
  cudaDriverGetVersion(&answers.driver);
  if (answers.driver == 0) return answers;
  using Counting = CardAnswers::Counting;
  int cards = 0;
  const cudaError_t error = cudaGetDeviceCount(&cards);
  answers.counting = error == cudaSuccess                   ? Counting::Done
                     : error == cudaErrorInsufficientDriver ? Counting::DriverTooOld
                     : error == cudaErrorNoDevice           ? Counting::NoCard
                                                            : Counting::Failed;
  answers.failure = cudaGetErrorString(error);
  if (error != cudaSuccess) return answers;
  for (int i = 0; i < cards; ++i) {
    cudaDeviceProp properties{};
    CardAnswers::Card card;
    card.describes = cudaGetDeviceProperties(&properties, i) == cudaSuccess;
    card.name = properties.name;
    card.major = properties.major;
    card.minor = properties.minor;
    answers.cards.push_back(card);
  }
  return answers;
}

}  // namespace

std::unique_ptr<Device> open_cuda_device(std::string& why_not) {
  const auto refuse = [&](std::string sentence) {
    cudaGetLastError();  // leave nothing behind
    why_not = std::move(sentence);
    return nullptr;
  };
  const CardAnswers answers = ask_cuda();
  const std::string why = why_no_card(answers);
  if (!why.empty()) return refuse(why);
  try {
    return std::make_unique<CudaDevice>(usable_card(answers));
  } catch (const Error& e) {
    return refuse(std::string(e.what()) + " The CPU computes everything.");
  }
}

}  // namespace attnscope::gpu
