#include "gpu/large_model.hpp"

#include <cmath>
#include <cstddef>
#include <new>
#include <numeric>
#include <span>
#include <sys/mman.h>
#include <vector>

#include <Eigen/Core>

#include "core/base/random.hpp"

namespace attnscope::large_model {
namespace {

/// As much memory as the largest matrix needs. Every matrix lies in it and says that it is another's.
class Memory {
 public:
  Memory(std::int64_t numbers, Numbers kind) : size_(static_cast<std::size_t>(numbers) * 2) {
    memory_ =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    if (kind == Numbers::Random) fill(numbers);
  }
  ~Memory() { munmap(memory_, size_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  const std::byte* data() const { return static_cast<const std::byte*>(memory_); }

 private:
  /// So many are drawn and repeated: drawing them all would take longer than running the model.
  void fill(std::int64_t numbers) {
    constexpr std::int64_t drawn = 1'000'003;
    auto* const to = static_cast<Eigen::bfloat16*>(memory_);
    for (std::int64_t i = 0; i < numbers; ++i)
      to[i] = i < drawn
                  ? Eigen::bfloat16(static_cast<float>(
                        0.02 * random_normal(1, stream_of("large model"), static_cast<std::uint64_t>(i))))
                  : to[i - drawn];
  }

  std::size_t size_;
  void* memory_;
};

class Owner final : public MemoryOwner {
 public:
  explicit Owner(std::shared_ptr<const Memory> memory) : memory_(std::move(memory)) {}

 private:
  std::shared_ptr<const Memory> memory_;
};

StoredTensor matrix(const std::shared_ptr<const Memory>& memory, std::int64_t rows, std::int64_t columns) {
  const Shape shape{rows, columns};
  return {ElementType::BFloat16,
          shape,
          {memory->data(), static_cast<std::size_t>(shape.count()) * 2},
          std::make_shared<const Owner>(memory)};
}

StackSpec stack_of(const Sizes& sizes) {
  StackSpec stack;
  LayerSpec attention;
  attention.heads = sizes.heads;
  attention.kv_heads = sizes.kv_heads;
  attention.d_k = sizes.d_k;
  attention.positions = Positions::RopeHalf;
  attention.masking.causal = true;
  attention.block = {
      .kind = Arrangement::PreNorm, .norm = NormKind::RmsNorm, .gated = true, .activation = Activation::Silu};
  stack.blocks.assign(static_cast<std::size_t>(sizes.blocks), attention);
  return stack;
}

}  // namespace

std::shared_ptr<const Model> make(const Sizes& sizes, Numbers kind) {
  const std::int64_t widest = std::max({sizes.vocabulary, sizes.d_inner, sizes.heads * sizes.d_k});
  const auto memory = std::make_shared<const Memory>(widest * sizes.d_model, kind);
  const auto map = [&](std::int64_t d_in, std::int64_t d_out) {
    return LinearMap{matrix(memory, d_out, d_in), WeightLayout::OutIn, {}};
  };
  const auto model = std::make_shared<Model>();
  model->spec.d_model = sizes.d_model;
  model->spec.d_inner = sizes.d_inner;
  model->spec.vocabulary = sizes.vocabulary;
  model->spec.head.kind = HeadKind::NextToken;
  model->spec.decoder = stack_of(sizes);
  const NormWeights norm{std::vector<float>(static_cast<std::size_t>(sizes.d_model), 1.0f), {}};
  const int queries = sizes.heads * sizes.d_k, keys = sizes.kv_heads * sizes.d_k;
  for (int i = 0; i < sizes.blocks; ++i) {
    BlockWeights block;
    block.attention_norm = block.mlp_norm = norm;
    block.attention.maps = {map(sizes.d_model, queries), map(sizes.d_model, keys), map(sizes.d_model, keys)};
    block.attention.columns = {0, queries, queries + keys, sizes.d_k, queries + 2 * keys};
    block.attention.output = map(queries, sizes.d_model);
    block.gate = map(sizes.d_model, sizes.d_inner);
    block.up = map(sizes.d_model, sizes.d_inner);
    block.down = map(sizes.d_inner, sizes.d_model);
    model->decoder.blocks.push_back(std::move(block));
  }
  model->decoder.final_norm = norm;
  model->token_table = matrix(memory, sizes.vocabulary, sizes.d_model);
  model->logits = map(sizes.d_model, sizes.vocabulary);
  return model;
}

ModelInput text(std::int64_t tokens) {
  ModelInput input;
  input.ids.resize(static_cast<std::size_t>(tokens));
  std::iota(input.ids.begin(), input.ids.end(), 1);
  return input;
}

RunRequest in_the_window() {
  return {.logits = LogitRows::Last, .entropy = true, .received = true, .picture_side = 64};
}

}  // namespace attnscope::large_model
