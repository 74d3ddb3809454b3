#include "gpu/card_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "gpu/card_weights.hpp"
#include "gpu/launching.hpp"
#include "gpu/sweeps.hpp"

namespace attnscope::gpu {

namespace {

/// The most rows of a product at a time: the split rows and the partial products take three times their
/// memory each.
constexpr std::int64_t rows_at_once = 2048;

/// Memory that grows on demand.
template <class T>
class Room {
 public:
  T* get(CardCopies& copies, std::int64_t count) {
    if (std::cmp_less(numbers_.size(), count)) {
      numbers_ = {};
      numbers_ = copies.room<T>(count);
    }
    return numbers_.data();
  }

 private:
  DeviceArray<T> numbers_;
};

/// As exact as the CPU's: bfloat16 products would round the scores.
CardSettings exact(CardSettings settings) {
  settings.bfloat_from = -1;
  return settings;
}

class CardRows final : public RowOperators {
 public:
  CardRows(std::shared_ptr<Device> device, const CardSettings& settings)
      : device_(std::move(device)),
        settings_(exact(settings)),
        copies_(device_),
        sweeps_(*device_, copies_, settings_),
        maps_(*device_, copies_),
        name_("CUDA · " + device_->facts().name) {}

  bool is_here() const override { return false; }

  FloatRows make(RowBuffer purpose, std::int64_t rows, std::int64_t width) override {
    return {rooms_[static_cast<std::size_t>(purpose)].get(copies_, rows * width), rows, width, width};
  }

  std::string_view name() const override { return name_; }
  std::string_view remark() const override { return remark_; }

  void bring(const Work& work, const ConstFloatRows& here, const FloatRows& there) override {
    check_stop(work);
    const auto row = static_cast<std::size_t>(here.width) * sizeof(float),
               count = static_cast<std::size_t>(here.rows);
    const bool dense = here.stride == here.width;
    device_->upload(there.data, here.data, dense ? row * count : row,
                    static_cast<std::size_t>(here.stride) * sizeof(float), dense ? 1 : count);
  }

  /// Rows on the card are contiguous; whole rows are fetched.
  void fetch(const Work& work, const ConstFloatRows& there, const FloatRows& here) override {
    const auto row = static_cast<std::size_t>(there.width) * sizeof(float),
               bytes = row * static_cast<std::size_t>(there.rows);
    if (here.stride == here.width) {
      device_->download(here.data, there.data, bytes);
    } else {
      std::vector<float> dense(static_cast<std::size_t>(there.rows * there.width));
      device_->download(dense.data(), there.data, bytes);
      for (std::int64_t i = 0; i < here.rows; ++i)
        std::copy_n(dense.data() + i * there.width, there.width, here.row(i));
    }
    check_stop(work);
  }

  void copy(const Work&, const ConstFloatRows& from, const FloatRows& to) override { sum(from, to, false); }
  void clear(const Work&, const FloatRows& x) override {
    device_->clear(x.data, static_cast<std::size_t>(x.rows * x.stride) * sizeof(float));
  }
  void add(const Work&, const ConstFloatRows& more, const FloatRows& x) override { sum(more, x, true); }

  void norm(const Work&, const NormSettings& settings, const NormParameters<float>& parameters,
            const ConstFloatRows& x, const FloatRows& y) override {
    NormPass pass{};
    pass.x = x.data, pass.x_row = x.stride;
    pass.y = y.data, pass.y_row = y.stride;
    pass.rows = x.rows, pass.heads = 1, pass.width = static_cast<int>(x.width);
    norm(settings, parameters, pass);
  }

  void norm_heads(const Work&, const NormSettings& settings, const NormParameters<float>& parameters,
                  const HeadsInRows& x, std::int64_t d) override {
    NormPass pass{};
    pass.x = pass.y = x.data;
    pass.x_row = pass.y_row = x.row_stride;
    pass.x_head = pass.y_head = x.head_stride;
    pass.rows = x.rows, pass.heads = static_cast<int>(x.heads), pass.width = static_cast<int>(d);
    norm(settings, parameters, pass);
  }

  void multiply(const Work& work, const ConstFloatRows& x, const LinearMap& map,
                const FloatRows& y) override {
    check_stop(work);
    if (const CardMap* const there = maps_.get(map)) {
      multiply_by(*there, map, x, y);
      return;
    }
    remark_ =
        "The graphics card has no room for all weights of the model: the CPU multiplies with the others.";
    multiply_on_cpu(work, x, map, y);
  }

  void activate(const Work&, Activation activation, const FloatRows& x) override {
    launch_each(*device_, ActivationPass{x.data, nullptr, x.rows, x.width, x.stride, 0, activation});
  }
  void gate(const Work&, Activation activation, const FloatRows& gate, const ConstFloatRows& up) override {
    launch_each(*device_, ActivationPass{gate.data, up.data, gate.rows, gate.width, gate.stride, up.stride,
                                         activation});
  }

  void rotate(const Work&, Positions kind, const RopeFrequencies& frequencies,
              std::span<const std::int64_t> positions, const HeadsInRows& x) override {
    prepare_turns(frequencies, positions);
    TurnPass pass{};
    pass.x = x.data;
    pass.rows = x.rows, pass.row_stride = x.row_stride, pass.head_stride = x.head_stride;
    pass.heads = static_cast<int>(x.heads), pass.pairs = static_cast<int>(frequencies.frequency.size());
    pass.cosine = turns_.cosine.data(), pass.sine = turns_.sine.data();
    pass.interleaved = kind == Positions::RopeInterleaved;
    launch_each(*device_, pass);
  }

  void sweep(const Work& work, Sweep& result, const AttentionProblem& problem,
             const SweepRequest& request) override {
    if (const std::string why = sweeps_.why_not(problem); !why.empty()) {
      remark_ = why + " The CPU swept them.";
      sweep_into(result, problem, request, work);
      return;
    }
    result = sweeps_.sweep(problem, request, work.stop, nullptr);
  }

  void concat_heads(const Work&, Tensor& heads, const FloatRows& to) override {
    const auto from = std::make_shared<const Tensor>(std::move(heads));
    const Shape& shape = from->shape();
    launch_each(*device_, ConcatPass{copies_.get(from), to.data, from->size(), static_cast<int>(shape[0]),
                                     static_cast<int>(shape[1]), static_cast<int>(shape[2])});
  }

  TensorPtr keep(const Work&, const TensorPtr& before, std::int64_t first,
                 const ConstFloatRows& rows) override {
    if (first > 0 && !before) return {};
    const std::int64_t width = rows.width;
    DeviceArray<float> all = copies_.room<float>((first + rows.rows) * width);
    if (first > 0) sum({copies_.get(before), first, width, width}, {all.data(), first, width, width}, false);
    sum(rows, {all.data() + first * width, rows.rows, width, width}, false);
    device_->wait();
    return std::make_shared<const Tensor>(copies_.made({first + rows.rows, width}, std::move(all)));
  }

  bool multiply_here(const Work& work, const ConstFloatRows& x, const LinearMap& map,
                     const FloatRows& y) override {
    const std::int64_t numbers = map.weight.shape().count();
    if (numbers < settings_.product_from && numbers * x.rows < 16 * settings_.product_from) return false;
    const CardMap* const there = maps_.get(map);
    if (there == nullptr) return false;
    const FloatRows given{given_.get(copies_, x.rows * x.width), x.rows, x.width, x.width},
        made{result_.get(copies_, y.rows * y.width), y.rows, y.width, y.width};
    bring(work, x, given);
    multiply_by(*there, map, given, made);
    fetch(work, made, y);
    return true;
  }

 private:
  static void check_stop(const Work& work) {
    if (work.stop.stop_requested()) throw Cancelled();
  }

  void sum(const ConstFloatRows& from, const FloatRows& to, bool adds) {
    launch_each(*device_, SumPass{from.data, to.data, to.rows, to.width, from.stride, to.stride, adds});
  }

  void norm(const NormSettings& settings, const NormParameters<float>& parameters, NormPass pass) {
    const auto there = [&](std::span<const float> numbers) {
      return numbers.empty() ? DeviceArray<float>() : copies_.uploaded(numbers);
    };
    const DeviceArray<float> weight = there(parameters.weight), bias = there(parameters.bias);
    pass.weight = weight.data();
    pass.bias = bias.data();
    pass.added_to_weight = adds_one(settings.kind) ? 1 : 0;
    pass.epsilon = settings.epsilon;
    pass.centred = is_centred(settings.kind);
    launch_blocks(*device_, pass);
  }

  void multiply_by(const CardMap& there, const LinearMap& map, const ConstFloatRows& x, const FloatRows& y) {
    for (std::int64_t first = 0; first < x.rows; first += rows_at_once) {
      const std::int64_t rows = std::min(rows_at_once, x.rows - first);
      const ConstFloatRows some{x.row(first), rows, x.width, x.stride};
      const FloatRows made{y.row(first), rows, y.width, y.stride};
      if (there.kind == NumberKind::Float)
        multiply_floats(there, map, some, made);
      else
        multiply_parts(there, map, some, made);
    }
  }

  static RowProduct product_of(const CardMap& there, const LinearMap& map) {
    RowProduct product;
    product.kind = there.kind;
    product.weights = there.weights.data();
    product.out_in = map.layout == WeightLayout::OutIn;
    product.d_in = product.x_row = map.d_in();
    product.d_out = product.y_row = map.d_out();
    return product;
  }

  void multiply_floats(const CardMap& there, const LinearMap& map, const ConstFloatRows& x,
                       const FloatRows& y) {
    RowProduct product = product_of(there, map);
    product.x = x.data, product.x_row = x.stride;
    product.y = y.data, product.y_row = y.stride;
    product.rows = x.rows;
    device_->multiply(product);
    if (there.bias.size() > 0) sum({there.bias.data(), y.rows, y.width, 0}, y, true);
  }

  /// Multiplies all parts in one product, which reads the weights once.
  void multiply_parts(const CardMap& there, const LinearMap& map, const ConstFloatRows& x,
                      const FloatRows& y) {
    const std::int64_t rows = split_parts * x.rows;
    float* const unscale = there.kind == NumberKind::Half ? unscale_.get(copies_, x.rows) : nullptr;
    std::uint16_t* const parts = parts_.get(copies_, rows * x.width);
    launch_blocks(*device_,
                  SplitPass{x.data, parts, unscale, x.rows, x.stride, static_cast<int>(x.width), there.kind});
    RowProduct product = product_of(there, map);
    product.x = parts;
    product.y = products_.get(copies_, rows * y.width);
    product.rows = rows;
    device_->multiply(product);
    launch_each(*device_, JoinProductPass{product.y, y.data, unscale, there.bias.data(), y.rows, y.width,
                                          y.stride, split_parts});
  }

  void multiply_on_cpu(const Work& work, const ConstFloatRows& x, const LinearMap& map, const FloatRows& y) {
    std::vector<float> in(static_cast<std::size_t>(x.rows * x.width)),
        out(static_cast<std::size_t>(y.rows * y.width));
    fetch(work, x, {in.data(), x.rows, x.width, x.width});
    attnscope::multiply({work.pool, work.stop}, {in.data(), x.rows, x.width, x.width}, map,
                        {out.data(), y.rows, y.width, y.width});
    const FloatRows brought = make(RowBuffer::Other, y.rows, y.width);
    bring(work, {out.data(), y.rows, y.width, y.width}, brought);
    copy(work, brought, y);
  }

  /// The CPU's angles, see rotate_in_place(); they are the same in all blocks.
  void prepare_turns(const RopeFrequencies& frequencies, std::span<const std::int64_t> positions) {
    if (turns_.frequency == frequencies.frequency && turns_.magnitude == frequencies.magnitude &&
        std::ranges::equal(turns_.positions, positions))
      return;
    turns_ = {frequencies.frequency, frequencies.magnitude, {positions.begin(), positions.end()}, {}, {}};
    std::vector<float> cosine, sine;
    for (const std::int64_t position : positions)
      for (const float frequency : frequencies.frequency) {
        const float angle = frequency * static_cast<float>(position);
        cosine.push_back(std::cos(angle) * frequencies.magnitude);
        sine.push_back(std::sin(angle) * frequencies.magnitude);
      }
    turns_.cosine = copies_.uploaded(std::span<const float>(cosine));
    turns_.sine = copies_.uploaded(std::span<const float>(sine));
  }

  struct Turns {
    std::vector<float> frequency;
    float magnitude = 1;
    std::vector<std::int64_t> positions;
    DeviceArray<float> cosine, sine;  // [positions][frequency]
  };

  std::shared_ptr<Device> device_;
  CardSettings settings_;
  CardCopies copies_;
  CardSweeps sweeps_;
  CardMaps maps_;
  std::array<Room<float>, row_purposes> rooms_;
  Room<float> given_, result_, products_, unscale_;
  Room<std::uint16_t> parts_;
  Turns turns_;
  std::string name_, remark_;
};

}  // namespace

std::shared_ptr<RowOperators> make_card_rows(std::shared_ptr<Device> device, std::string& why_not,
                                             CardSettings settings) {
  if (!device->can_multiply(why_not)) return nullptr;
  return std::make_shared<CardRows>(std::move(device), settings);
}

}  // namespace attnscope::gpu
