// Numbers beyond 2^31 of an array on an emulated card: 300 heads of 131,072 tokens in memory that is only
// there where it was written to. An index of 32 bits anywhere finds something else, or nothing.
#include <cmath>
#include <numbers>
#include <sys/mman.h>

#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "gpu/emulated_context.hpp"
#include "gpu/emulated_sweeps.hpp"

namespace attnscope::far_test {
namespace {

using emulator::Setup;

/// Zeros; pages come when they are touched.
template <class T>
class Sparse {
 public:
  explicit Sparse(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) SKIP("no address space for " << bytes_ << " bytes");
    data_ = static_cast<T*>(memory);
  }
  ~Sparse() { munmap(data_, bytes_); }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  T* data() const { return data_; }
  T* at(std::int64_t i) const { return data_ + i; }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

constexpr std::int64_t tokens = 131072, heads = 300, d = 64, block = gpu::tile;
constexpr gpu::Units units{gpu::Arithmetic::Float, static_cast<int>(d)};

/// The last head of 64 queries that see 64 keys causally, as the oracle has it, at the far end of memory.
struct Far {
  std::unique_ptr<streaming_cases::Case> near;
  Sparse<float> query{heads * tokens * d}, key{heads * tokens * d}, value{heads * tokens * d};
  Sparse<gpu::RowState> states{heads * tokens};
  gpu::Operands in{};
  std::vector<oracle::RowAnswer> rows;

  /// Queries and keys stand at `first` of their head.
  explicit Far(std::int64_t first) {
    samples::Random random(17);
    near = emulator::in_quarters(random, {1, 1, block, block, d, d}, 0);
    near->problem.causal = true;
    const std::int64_t at = ((heads - 1) * tokens + first) * d;
    std::copy(near->q.begin(), near->q.end(), query.at(at));
    std::copy(near->k.begin(), near->k.end(), key.at(at));
    std::copy(near->v.begin(), near->v.end(), value.at(at));
    const oracle::RowProblem problem = near->in_oracle();
    for (std::size_t i = 0; i < block; ++i) rows.push_back(oracle::attend_row(problem, 0, i));
    in.query = query.data(), in.key = key.data(), in.value = value.data();
    in.rule.exponent = std::numbers::log2e_v<float>;
    in.rule.scale = 1;
    in.rule.left = in.rule.right = in.rule.real_keys = -1;
    in.rule.causal = true;
    in.queries = tokens, in.keys = tokens, in.rows = tokens;
    in.heads = heads, in.heads_per_key = 1, in.step = 1;
  }
};

void check_near(double found, double expected) {
  REQUIRE(std::abs(found - expected) <= 1e-5 * std::max(1.0, std::abs(expected)));
}

}  // namespace

TEST_CASE("Pass 1 counts beyond 2^31", "[far]") {
  const Far far(0);
  constexpr std::int64_t columns = tokens / block, part_rows = tokens / 32;
  const Sparse<float> output(heads * tokens * d), sum(heads * part_rows * columns),
      most(heads * part_rows * columns), scratch(columns * 3 * block);
  gpu::RowPass pass{};
  pass.in = far.in;
  pass.output = output.data();
  pass.d_v = d;
  pass.rows = far.states.data();
  pass.entropy = true;
  pass.parts = {sum.data(), most.data(), columns, 32, block};
  pass.scratch = scratch.data();
  pass.last_item = static_cast<int>(heads * columns);
  pass.first_item = pass.last_item - 1;  // the first rows of the last head
  emulator::EmulatedDevice device(emulator::Schedule::Lazy);
  device.launch(pass, units, 1);
  for (std::int64_t i = 0; i < block; ++i) {
    const oracle::RowAnswer& row = far.rows[static_cast<std::size_t>(i)];
    const std::int64_t at = (heads - 1) * tokens + i;
    const gpu::RowState state = *far.states.at(at);
    check_near(static_cast<double>(state.shift) * std::log(2) + std::log(static_cast<double>(state.sum)),
               row.log_sum_exp);
    for (std::int64_t e = 0; e < d; ++e)
      check_near(static_cast<double>(*output.at(at * d + e)), row.output[static_cast<std::size_t>(e)]);
  }
  // 32 rows that add up to 1, all in the first column.
  for (std::int64_t part = 0; part < 2; ++part) {
    check_near(static_cast<double>(*sum.at(((heads - 1) * part_rows + part) * columns)), 32);
    check_near(static_cast<double>(*sum.at(((heads - 1) * part_rows + part) * columns + 1)), 0);
  }
}

TEST_CASE("Pass 1 by warpgroups counts beyond 2^31", "[far]") {
  const Far far(0);
  const Sparse<std::uint16_t> query(heads * tokens * d), key(heads * tokens * d), value(heads * tokens * d);
  const Sparse<float> output(heads * tokens * d);
  constexpr std::int64_t last = (heads - 1) * tokens * d;
  for (std::int64_t i = 0; i < block * d; ++i) {
    const auto at = static_cast<std::size_t>(i);
    *query.at(last + i) = emulator::to_bfloat(far.near->q[at]);
    const gpu::TiledPlace place = gpu::tiled_place(i, static_cast<int>(d));
    const auto from = static_cast<std::size_t>(place.row * d + place.column);
    *key.at(last + i) = emulator::to_bfloat(far.near->k[from]);
    *value.at(last + i) = emulator::to_bfloat(far.near->v[from]);
  }
  gpu::RowPass pass{};
  pass.in = far.in;
  pass.in.query = query.data(), pass.in.key = key.data(), pass.in.value = value.data();
  pass.output = output.data();
  pass.d_v = d;
  pass.rows = far.states.data();
  constexpr gpu::Units by_groups{gpu::Arithmetic::Bfloat, static_cast<int>(d), true};
  const int row_block = gpu::row_block_of(pass, by_groups);
  pass.last_item = static_cast<int>(heads * ((tokens + row_block - 1) / row_block));
  pass.first_item = pass.last_item - 1;  // the first rows of the last head
  emulator::EmulatedDevice device(emulator::Schedule::Lazy);
  device.have_groups();
  device.launch(pass, by_groups, 1);
  for (std::int64_t i = 0; i < block; ++i) {
    const oracle::RowAnswer& row = far.rows[static_cast<std::size_t>(i)];
    const std::int64_t at = (heads - 1) * tokens + i;
    const gpu::RowState state = *far.states.at(at);
    check_near(static_cast<double>(state.shift) * std::log(2) + std::log(static_cast<double>(state.sum)),
               row.log_sum_exp);
    for (std::int64_t e = 0; e < d; ++e)  // weights are rounded to 2^-9
      REQUIRE(std::abs(static_cast<double>(*output.at(at * d + e)) -
                       row.output[static_cast<std::size_t>(e)]) < 4e-3);
  }
}

TEST_CASE("Pass 2 counts beyond 2^31, in masks too", "[far]") {
  constexpr std::int64_t first = tokens - block, columns = tokens / 32, part_rows = tokens / 32, splits = 64;
  Far far(first);
  const Sparse<std::uint8_t> allowed(tokens * tokens);
  for (std::int64_t i = first; i < tokens; ++i)
    std::fill(allowed.at(i * tokens + first), allowed.at(i * tokens + tokens), std::uint8_t{1});
  far.in.rule.allowed = allowed.data();
  for (std::size_t i = 0; i < block; ++i) {
    const oracle::RowAnswer& row = far.rows[i];
    *far.states.at((heads - 1) * tokens + first + static_cast<std::int64_t>(i)) = {
        static_cast<float>(row.log_sum_exp / std::log(2)), 1, 0, 0};
  }
  const Sparse<float> received(splits * heads * tokens), sum(heads * part_rows * columns),
      most(heads * part_rows * columns);
  gpu::ColumnPass pass{};
  pass.in = far.in;
  pass.rows = far.states.data();
  pass.received = received.data();
  pass.received_rows = tokens;
  pass.parts = {sum.data(), most.data(), columns, 32, 32};
  pass.splits = splits;
  pass.last_item = static_cast<int>(heads * (tokens / block) * splits);
  pass.first_item = pass.last_item - 1;  // the last keys of the last head, seen by the last rows
  emulator::EmulatedDevice device(emulator::Schedule::Lazy);
  device.launch(pass, units, 1);
  double parts[2][2]{};
  for (std::size_t j = 0; j < block; ++j) {
    double expected = 0;
    for (std::size_t i = 0; i < block; ++i) {
      expected += far.rows[i].weights[j];
      parts[i / 32][j / 32] += far.rows[i].weights[j];
    }
    const std::int64_t at =
        ((splits - 1) * heads + heads - 1) * tokens + first + static_cast<std::int64_t>(j);
    check_near(static_cast<double>(*received.at(at)), expected);
  }
  for (std::int64_t row = 0; row < 2; ++row)
    for (std::int64_t column = 0; column < 2; ++column)
      check_near(static_cast<double>(*sum.at(((heads - 1) * part_rows + part_rows - 2 + row) * columns +
                                             columns - 2 + column)),
                 parts[row][column]);
}

TEST_CASE("Cells and products count beyond 2^31", "[far]") {
  emulator::EmulatedDevice device(emulator::Schedule::Lazy);
  {
    constexpr std::int64_t width = std::int64_t{1} << 26;
    const Sparse<float> query(64 * 32), key(width * 32), cells(64 * width);
    std::fill(query.at(0), query.at(64 * 32), 1.f);
    std::fill(key.at(0), key.at(64 * 32), 0.5f);
    gpu::CellPass pass{};
    pass.in.query = query.data(), pass.in.key = key.data();
    pass.in.queries = pass.in.rows = 64, pass.in.keys = static_cast<int>(width);
    pass.in.heads = pass.in.heads_per_key = 1, pass.in.step = 1;
    pass.in.rule.scale = 1;
    pass.kind = gpu::CellKind::Scaled;
    pass.last_key = static_cast<int>(width);
    pass.cells = cells.data();
    device.launch(pass, {gpu::Arithmetic::Float, 32}, 1);
    REQUIRE(*cells.at(63 * width + 63) == 16);
  }
  constexpr std::int64_t apart = std::int64_t{1} << 31;
  const Sparse<float> a(apart + 1), b(apart + 1), c(apart + 1);
  *a.at(apart) = 3, *b.at(apart) = 5;
  gpu::ProductPass pass{};
  pass.a = a.data(), pass.b = b.data(), pass.c = c.data();
  pass.rows = pass.columns = pass.inner = pass.batch = pass.group = 1, pass.heads = 2;
  pass.a_head = pass.b_head = pass.c_head = apart;
  device.launch(pass, {}, 2);
  REQUIRE(*c.at(apart) == 15);
}

}  // namespace attnscope::far_test
