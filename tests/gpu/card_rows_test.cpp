// Models on the emulated card: products with weights of every storage against double, whole models against
// transformers and against the CPU, and what crosses when a person types.
#include "gpu/card_rows.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/run_again.hpp"
#include "core/small_models.hpp"
#include "core/transformers_goldens.hpp"
#include "gpu/emulated_device.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::card_rows_test {
namespace {

namespace fs = std::filesystem;
using emulator::EmulatedDevice;
using emulator::Schedule;

/// Small models are worth it, too.
constexpr gpu::CardSettings all_of_it{.product_from = 0};

struct Card {
  std::shared_ptr<EmulatedDevice> device = std::make_shared<EmulatedDevice>(Schedule::Lazy);
  std::shared_ptr<RowOperators> rows;
  ThreadPool pool{2};

  explicit Card(const gpu::CardSettings& settings = all_of_it) {
    std::string why_not;
    rows = gpu::make_card_rows(device, why_not, settings);
    REQUIRE(rows);
  }
  Work work() { return {pool, {}, rows.get()}; }
  Work on_cpu() { return {pool, {}}; }
};

Tensor drawn(Shape shape, std::uint64_t seed) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.data()[i] =
        static_cast<float>(random_normal(seed, stream_of("card rows"), static_cast<std::uint64_t>(i)));
  return tensor;
}

/// The numbers stored as 16 bits each.
template <class Number>
StoredTensor stored(ElementType type, const Tensor& numbers) {
  std::vector<float> bits(static_cast<std::size_t>((numbers.size() + 1) / 2));
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    const Number one(numbers.data()[i]);
    std::memcpy(reinterpret_cast<char*>(bits.data()) + 2 * i, &one, 2);
  }
  class Owner final : public MemoryOwner {
   public:
    explicit Owner(std::vector<float> numbers) : numbers(std::move(numbers)) {}
    std::vector<float> numbers;
  };
  const auto owner = std::make_shared<const Owner>(std::move(bits));
  const auto bytes = std::as_bytes(std::span(owner->numbers));
  return {type, numbers.shape(), bytes.first(static_cast<std::size_t>(numbers.size()) * 2), owner};
}

StoredTensor stored_as(ElementType type, const Tensor& numbers) {
  if (type == ElementType::BFloat16) return stored<Eigen::bfloat16>(type, numbers);
  if (type == ElementType::Float16) return stored<Eigen::half>(type, numbers);
  return StoredTensor(std::make_shared<const Tensor>(numbers));
}

/// Blocks of 32 numbers: a scale of 1/64 and whole numbers.
StoredTensor in_blocks(Shape shape) {
  class Owner final : public MemoryOwner {
   public:
    std::vector<std::byte> bytes;
  };
  const auto owner = std::make_shared<Owner>();
  const Eigen::half scale(1.0f / 64);
  for (std::int64_t block = 0; block < shape.count() / 32; ++block) {
    std::array<std::byte, 34> made{};
    std::memcpy(made.data(), &scale, 2);
    for (std::size_t i = 0; i < 32; ++i)
      made[2 + i] = static_cast<std::byte>((static_cast<std::size_t>(block) * 37 + i * 11) % 251);
    owner->bytes.insert(owner->bytes.end(), made.begin(), made.end());
  }
  return {ElementType::Q8_0, shape, owner->bytes, owner};
}

/// Rows in the computer's memory, multiplied on the card.
Tensor product(Card& card, const Tensor& x, const LinearMap& map) {
  Tensor y(Shape{x.shape()[0], map.d_out()});
  CHECK(card.rows->multiply_here(card.work(), {x.data(), x.shape()[0], x.shape()[1], x.shape()[1]}, map,
                                 {y.data(), y.shape()[0], y.shape()[1], y.shape()[1]}));
  return y;
}

/// The largest error beside double, in units of what rounding each product of a row to float may bring.
double error_of(const Tensor& y, const Tensor& x, const LinearMap& map) {
  const Tensor weights = map.weight.widened();
  Eigen::MatrixXd w = weights.matrix().cast<double>();
  if (map.layout == WeightLayout::OutIn) w.transposeInPlace();
  const Eigen::MatrixXd wide = x.matrix().cast<double>();
  Eigen::MatrixXd expected = wide * w, least = wide.cwiseAbs() * w.cwiseAbs();
  if (!map.bias.empty())
    expected.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(map.bias.data(), map.d_out()).cast<double>();
  least.array() += 1e-3;
  return ((y.matrix().cast<double>() - expected).array().abs() / least.array()).maxCoeff() / 6e-8;
}

constexpr std::array types{ElementType::Float32, ElementType::BFloat16, ElementType::Float16};

/// The largest difference of two runs, as a share of the largest number of its kind.
class Difference {
 public:
  void of(const KeptRows& a, const KeptRows& b) {
    REQUIRE(a.values.size() == b.values.size());
    add(a.values, b.values);
  }
  void of(const Tensor& a, const Tensor& b) {
    REQUIRE(a.shape() == b.shape());
    add(a.values(), b.values());
  }
  void of(const StackRun& a, const StackRun& b) {
    REQUIRE(a.hidden.size() == b.hidden.size());
    for (std::size_t i = 0; i < a.hidden.size(); ++i) of(a.hidden[i], b.hidden[i]);
    of(a.normed, b.normed);
    for (const auto& [some, others] :
         {std::pair(&a.attention, &b.attention), std::pair(&a.cross, &b.cross)}) {
      REQUIRE(some->size() == others->size());
      for (std::size_t i = 0; i < some->size(); ++i) of((*some)[i], (*others)[i]);
    }
  }
  double largest = 0;

 private:
  void of(const AttentionRun& a, const AttentionRun& b) {
    of(a.queries, b.queries);
    of(a.keys, b.keys);
    of(a.entropy, b.entropy);
    of(a.received, b.received);
    CHECK(a.pictures.cells == b.pictures.cells);
    of(a.pictures.mean, b.pictures.mean);
    of(a.pictures.largest, b.pictures.largest);
  }
  void add(std::span<const float> a, std::span<const float> b) {
    double most = 1e-6, apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
      most = std::max(most, std::abs(x));
      apart = std::max(apart, x == y ? 0 : std::isfinite(x - y) ? std::abs(x - y) : 1e9);
    }
    largest = std::max(largest, apart / most);
  }
};

double difference(const ModelRun& a, const ModelRun& b) {
  Difference found;
  if (!a.encoder.hidden.empty() && a.encoder.hidden[0].rows() > 0) found.of(a.encoder, b.encoder);
  if (!a.decoder.hidden.empty() && a.decoder.hidden[0].rows() > 0) found.of(a.decoder, b.decoder);
  found.of(a.logits, b.logits);
  return found.largest;
}

// Sums of a few hundred float32 products in another order.
constexpr double rounding = 3e-5;

const RunRequest everything{.entropy = true, .received = true, .picture_side = 4};

}  // namespace

TEST_CASE("the card's products equal those in double, whatever stores the weights", "[card_rows]") {
  Card card;
  for (const auto& [rows, depth, columns] :
       {std::array{1, 8, 1}, std::array{5, 24, 3}, std::array{33, 130, 17}})
    for (const ElementType type : types)
      for (const WeightLayout layout : {WeightLayout::OutIn, WeightLayout::InOut}) {
        CAPTURE(rows, depth, columns, to_string(type), layout == WeightLayout::OutIn);
        const bool out_in = layout == WeightLayout::OutIn;
        const Tensor x = drawn({rows, depth}, 1), b = drawn({columns}, 3);
        LinearMap map{
            stored_as(type, drawn(out_in ? Shape{columns, depth} : Shape{depth, columns}, 2)), layout, {}};
        CHECK(error_of(product(card, x, map), x, map) < depth / 4.0 + 4);
        const LinearMap biased{
            stored_as(type, map.weight.widened()), layout, {b.values().begin(), b.values().end()}};
        CHECK(error_of(product(card, x, biased), x, biased) < depth / 4.0 + 4);
      }
  const LinearMap map{in_blocks({6, 64}), WeightLayout::OutIn, {}};
  const Tensor x = drawn({4, 64}, 4);
  CHECK(error_of(product(card, x, map), x, map) < 20);
}

TEST_CASE("rows of any size keep their bits in products with 16-bit weights", "[card_rows]") {
  Card card;
  Tensor x = drawn({6, 40}, 5);
  for (std::int64_t row = 0; row < 6; ++row)  // 2^-100, 2^-60, … 2^100
    x.matrix().row(row) *= std::ldexp(1.0f, static_cast<int>(row) * 40 - 100);
  for (const ElementType type : {ElementType::BFloat16, ElementType::Float16}) {
    CAPTURE(to_string(type));
    const LinearMap map{stored_as(type, drawn({9, 40}, 6)), WeightLayout::OutIn, {}};
    const Tensor y = product(card, x, map);
    for (std::int64_t row = 0; row < 6; ++row) {
      const Eigen::RowVectorXd wide = x.matrix().row(row).cast<double>();
      const Eigen::MatrixXd w = map.weight.widened().matrix().cast<double>();
      const Eigen::RowVectorXd expected = wide * w.transpose(),
                               least = wide.cwiseAbs() * w.cwiseAbs().transpose();
      CHECK(((y.matrix().row(row).cast<double>() - expected).array().abs() / least.array()).maxCoeff() <
            1e-6);
    }
  }
  x.matrix().setZero();
  const LinearMap map{stored_as(ElementType::Float16, drawn({9, 40}, 6)), WeightLayout::OutIn, {}};
  CHECK(product(card, x, map) == Tensor(Shape{6, 9}));
  x.data()[3] = std::numeric_limits<float>::quiet_NaN();
  const Tensor y = product(card, x, map);
  CHECK(std::isnan(y.data()[0]));
  CHECK(y.data()[9] == 0);
}

TEST_CASE("every activation of a card is that of the CPU, gated or not", "[card_rows]") {
  Card card;
  std::vector<float> x{0.0f, -0.0f, 60.0f, -60.0f, std::numeric_limits<float>::quiet_NaN()}, up;
  for (int i = -120; i <= 120; ++i) x.push_back(static_cast<float>(i) / 10);
  while (x.size() % 2 != 0) x.push_back(0.3f);
  for (std::size_t i = 0; i < x.size(); ++i) up.push_back(static_cast<float>(i % 7) - 2.5f);
  const auto width = std::ssize(x) / 2;
  const Work work = card.work();
  const FloatRows there = card.rows->make(RowsFor::Inner, 2, width),
                  other = card.rows->make(RowsFor::Up, 2, width);
  for (const Activation activation :
       {Activation::Identity, Activation::Gelu, Activation::GeluTanh, Activation::QuickGelu, Activation::Relu,
        Activation::ReluSquared, Activation::Silu, Activation::Tanh})
    for (const bool gated : {false, true}) {
      CAPTURE(name_of(activation), gated);
      std::vector<float> y(x.size());
      card.rows->bring(work, {x.data(), 2, width, width}, there);
      card.rows->bring(work, {up.data(), 2, width, width}, other);
      if (gated)
        card.rows->gate(work, activation, there, other);
      else
        card.rows->activate(work, activation, there);
      card.rows->fetch(work, there, {y.data(), 2, width, width});
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        const double expected =
            activate(activation, static_cast<double>(x[i])) * (gated ? static_cast<double>(up[i]) : 1);
        if (std::isnan(x[i]))
          CHECK(std::isnan(y[i]));
        else  // what is left of a number far below 0 is as exact as its exponent
          CHECK(std::abs(static_cast<double>(y[i]) - expected) <= 2e-6 * std::abs(expected) + 1e-9);
      }
    }
}

TEST_CASE("models of every family give the CPU's numbers on a card", "[card_rows]") {
  const test::TemporaryDirectory directory;
  Card card;
  for (const small_models::Family& family : small_models::every_family(directory.path())) {
    CAPTURE(family.name);
    ModelInput input;
    input.ids = small_models::some_ids(11, family.model->spec.vocabulary);
    const ModelRun here = run_model(*family.model, input, everything, card.on_cpu());
    const std::size_t before = card.device->uploaded();
    const ModelRun there = run_model(*family.model, input, everything, card.work());
    CHECK(card.device->uploaded() > before);
    CHECK(difference(here, there) < rounding);
    CHECK(card.rows->remark().empty());
    input.mask.assign(11, 1);
    input.mask[0] = input.mask[4] = 0;
    CHECK(difference(run_model(*family.model, input, everything, card.on_cpu()),
                     run_model(*family.model, input, everything, card.work())) < rounding);
  }
}

TEST_CASE("changes inside a model act on a card as they do on the CPU", "[card_rows]") {
  const test::TemporaryDirectory directory;
  Card card;
  for (const small_models::Family& family : small_models::every_family(directory.path())) {
    CAPTURE(family.name);
    ModelInput input;
    input.ids = small_models::some_ids(9, family.model->spec.vocabulary);
    RunRequest request = everything;
    using Kind = HeadChange::Kind;
    for (const Kind kind : {Kind::Zero, Kind::Mean, Kind::Uniform, Kind::PreviousToken}) {
      HeadChange change;
      change.of = AttentionOf::Decoder;
      change.block = 0;
      change.head = kind == Kind::Mean ? 1 : 2;
      change.kind = kind;
      request.changes.heads = {change};
      BlockChange block;
      block.of = AttentionOf::Decoder;
      block.block = 1;
      block.temperature = 1.5;
      block.mlp_off = kind == Kind::Zero;
      block.attention_off = kind == Kind::Mean;
      request.changes.blocks = {block};
      CHECK(difference(run_model(*family.model, input, request, card.on_cpu()),
                       run_model(*family.model, input, request, card.work())) < rounding);
    }
  }
}

TEST_CASE("a text that is edited goes on on the card from the rows that stay", "[card_rows]") {
  const test::TemporaryDirectory directory;
  Card card;
  for (const small_models::Family& family : small_models::every_family(directory.path())) {
    CAPTURE(family.name);
    const auto ids = small_models::some_ids(14, family.model->spec.vocabulary);
    ModelInput input;
    input.ids.assign(ids.begin(), ids.begin() + 6);
    ModelRun run = run_model(*family.model, input, everything, card.work());
    const auto edited = [&](std::vector<std::int64_t> now, const Work& work) {
      input.ids = std::move(now);
      run = run_again(*family.model, std::move(run), input, everything, work);
      CHECK(difference(run_model(*family.model, input, everything, card.on_cpu()), run) < rounding);
    };
    edited({ids.begin(), ids.begin() + 9}, card.work());
    edited({ids.begin(), ids.begin() + 4}, card.work());
    edited({ids.begin(), ids.begin() + 8}, card.on_cpu());  // here, whose rows the card does not have
    std::vector<std::int64_t> other(ids.begin(), ids.begin() + 8);
    other[5] = ids[13];
    edited(other, card.on_cpu());
    other.push_back(ids[11]);
    edited(other, card.work());
    other.push_back(ids[12]);
    edited(other, card.work());
  }
}

TEST_CASE("every tiny model gives transformers' numbers on the emulated card", "[card_rows]") {
  const fs::path models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  using namespace transformers_goldens;
  Card card;
  const Work work = card.work();
  int seen = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(models)) {
    if (!exists(folder.path() / "goldens.safetensors")) continue;
    const std::string name = folder.path().filename();
    CAPTURE(name);
    const ModelPtr model = open_model(folder.path());
    const SafetensorsFile file(folder.path() / "goldens.safetensors");
    for (const std::string part : {"single.", "pair."}) {
      const Golden golden(file, part);
      if (!golden.has("input_ids")) continue;
      CAPTURE(part);
      const ModelRun run = run_model(*model, input_of(golden, 0), {}, work);
      // As on the CPU, see tiny_models_test.cpp.
      Checks({*model, run, golden, 0, work}, name == "t5" ? 1e-5 : 5e-6).all();
      ++seen;
    }
  }
  CHECK(seen >= 12);
}

TEST_CASE("weights cross once and leave with their file; what has no room the CPU multiplies",
          "[card_rows]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "gpt";
  small_models::write_gpt(folder, small_models::gpt_weights());
  ModelPtr model = open_model(folder);
  ModelInput input;
  input.ids = small_models::some_ids(7, small_models::gpt_tokens);
  Card card;
  const ModelRun here = run_model(*model, input, everything, card.on_cpu());
  const std::size_t before = card.device->uploaded();
  run_model(*model, input, everything, card.work());
  const std::size_t first = card.device->uploaded() - before;
  run_model(*model, input, everything, card.work());
  const std::size_t second = card.device->uploaded() - before - first;
  // Norms and the rows that enter cross each time.
  CHECK(second * 3 < first);

  const std::size_t held = card.device->allocated();
  model = nullptr;
  const ModelPtr other = open_model(folder);
  run_model(*other, input, everything, card.work());
  CHECK(card.device->allocated() <= held + held / 8);

  Card small;
  small.device->facts_.memory = 30'000;
  CHECK(difference(here, run_model(*other, input, everything, small.work())) < rounding);
  CHECK(small.rows->remark().find("no room for all weights") != std::string::npos);
  CHECK(small.device->most_allocated() <= 30'000);
}

TEST_CASE("a card without products runs no models, and says why", "[card_rows]") {
  const auto device = std::make_shared<EmulatedDevice>(Schedule::Lazy);
  device->cannot_multiply = true;
  std::string why_not;
  CHECK(gpu::make_card_rows(device, why_not) == nullptr);
  CHECK(why_not == "The emulated card has no products.");
}

TEST_CASE("products too small for a card stay on the CPU", "[card_rows]") {
  Card card(gpu::CardSettings{});
  const Tensor x = drawn({2, 64}, 1);
  const LinearMap map{stored_as(ElementType::Float32, drawn({64, 64}, 2)), WeightLayout::OutIn, {}};
  Tensor y(Shape{2, 64});
  CHECK_FALSE(card.rows->multiply_here(card.work(), {x.data(), 2, 64, 64}, map, {y.data(), 2, 64, 64}));
  CHECK(card.device->uploaded() == 0);
}

}  // namespace attnscope::card_rows_test
