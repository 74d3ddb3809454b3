// The emulated card's products of warpgroups, bulk copies and signals: what they compute, and that each rule
// of theirs that is broken fails.
#include "gpu/emulated_groups.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>

#include "core/samples.hpp"
#include "gpu/emulated_context.hpp"

namespace attnscope::emulated_groups_test {
namespace {

using emulator::Block;
using emulator::Context;
using emulator::Schedule;

constexpr std::uint32_t tiles_at = 1024, tile_bytes = 8192, half_bytes = 8192;

/// Runs the body on each thread; what failed, or "".
std::string failure(Schedule schedule, int threads, const std::function<void(Context&)>& body) {
  Block block(schedule, 3);
  try {
    block.run(threads, tiles_at + 5 * tile_bytes, [&](int thread) {
      Context cx(block, thread, 0, 1);
      body(cx);
    });
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

/// Of small whole numbers, whose sums of products are exact.
struct Matrix {
  int rows, columns;
  std::vector<float> numbers;
  Matrix(int r, int c, std::uint64_t seed) : rows(r), columns(c) {
    samples::Random random(seed);
    for (int i = 0; i < r * c; ++i) numbers.push_back(static_cast<float>(random.between(-4, 4)));
  }
  float at(int row, int column) const { return numbers[static_cast<std::size_t>(row * columns + column)]; }
};

/// Thread 0 writes a matrix where products look for it: 64 columns after the other, `rows` of 128 bytes.
void write(Context& cx, std::uint32_t at, const Matrix& m) {
  if (cx.thread() != 0) return;
  for (int row = 0; row < m.rows; ++row)
    for (int column = 0; column < m.columns; ++column) {
      const int half = column / 64, chunk = column % 64 / 8 ^ row % 8;
      const auto byte =
          static_cast<std::uint32_t>(half * m.rows * 128 + row * 128 + chunk * 16 + column % 8 * 2);
      *cx.shared<std::uint16_t>(at + byte) = emulator::to_bfloat(m.at(row, column));
    }
}

/// Where a thread's sum i of a product stands: PTX ISA, "Register Fragments for wgmma", matrix D.
int row_of(int thread, int i) { return thread / 32 * 16 + thread % 32 / 4 + (i & 2) * 4; }
int column_of(int thread, int i) { return i / 4 * 8 + thread % 4 * 2 + (i & 1); }

const Matrix queries(64, 64, 1), keys(64, 64, 2), values(64, 128, 3);

/// What of queries and keys stands in shared memory behind a barrier, and one product.
struct Product {
  float c[8][4];
  void begin(Context& cx, bool begins = true) {
    write(cx, tiles_at, queries);
    write(cx, tiles_at + tile_bytes, keys);
    cx.sync();
    for (auto& four : c)
      for (float& x : four) x = 1;
    if (begins) cx.begin_products(c);
  }
  void multiply(Context& cx, std::uint32_t query_at = tiles_at, bool add = false) {
    cx.multiply_group(c, cx.operand(query_at, 16, 1024), cx.operand(tiles_at + tile_bytes, 16, 1024), add);
  }
  void end(Context& cx) {
    cx.commit_products();
    cx.end_products<0>(c);
  }
};

/// A signal at 0 that thread 0 opens for one arrival.
void open(Context& cx, bool publishes = true, bool syncs = true) {
  if (cx.thread() == 0) {
    cx.open_signal(0, 1);
    if (publishes) cx.publish();
  }
  if (syncs) cx.sync();
}
alignas(16) const unsigned char source[tile_bytes]{};
/// Thread 0 expects so many bytes of the signal and asks for a copy.
void ask(Context& cx, std::uint32_t expected, std::uint32_t to, std::uint32_t bytes) {
  if (cx.thread() != 0) return;
  cx.expect(0, expected);
  cx.copy_bulk(to, source, bytes, 0);
}

/// What breaks a rule, and part of what is said of it.
struct Fault {
  const char* what;
  std::function<void(Context&)> body;
};
const Fault faults[] = {
    {"products of registers that may have changed",
     [](Context& cx) {
       Product product;
       product.begin(cx, false);
       product.multiply(cx);
       product.end(cx);
     }},
    {"products of registers that may have changed",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       product.multiply(cx);
       product.end(cx);
       product.multiply(cx);
       product.end(cx);
     }},
    {"sums were touched",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       product.multiply(cx);
       product.c[3][1] = 2;
       product.end(cx);
     }},
    {"an operand in registers changed",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       std::uint32_t a[4]{};
       cx.multiply_group(product.c, a, cx.operand(tiles_at, half_bytes, 1024));
       a[2] = 1;
       product.end(cx);
     }},
    {"rows of a tile do not begin",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       product.multiply(cx, tiles_at + 128);
       product.end(cx);
     }},
    {"exchanged within 128 bytes",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       const std::uint64_t plain = cx.operand(tiles_at, 16, 1024) ^ std::uint64_t{3} << 62;
       cx.multiply_group(product.c, plain, plain, true);
       product.end(cx);
     }},
    {"want different products",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       product.multiply(cx, tiles_at, cx.thread() == 7);
       product.end(cx);
     }},
    {"products under way",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       product.multiply(cx);
       cx.commit_products();
     }},
    {"in no group",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       product.multiply(cx);
       cx.end_products<0>(product.c);
     }},
    {"meet at different instructions",
     [](Context& cx) {
       Product product;
       product.begin(cx, cx.thread() != 127);
       product.multiply(cx);
       product.end(cx);
     }},
    {"written and not published",
     [](Context& cx) {
       Product product;
       cx.copy16(tiles_at, source, true);
       cx.commit();
       cx.wait<0>();
       product.begin(cx);
       product.multiply(cx);
       product.end(cx);
     }},
    {"published without a barrier",
     [](Context& cx) {
       Product product;
       product.begin(cx, false);
       cx.copy16(tiles_at + 16 * static_cast<std::uint32_t>(cx.thread()), source, true);
       cx.commit();
       cx.wait<0>();
       cx.publish();
       cx.begin_products(product.c);
       product.multiply(cx);
       product.end(cx);
     }},
    {"overwritten that a product under way reads",
     [](Context& cx) {
       Product product;
       product.begin(cx);
       product.multiply(cx);
       if (cx.thread() == 0) cx.copy16(tiles_at, source, true);
       cx.commit();
       cx.wait<0>();
       product.end(cx);
     }},
    {"overwritten that a product under way reads",
     [](Context& cx) {
       open(cx);
       Product product;
       product.begin(cx);
       product.multiply(cx);
       cx.commit_products();
       ask(cx, 16, tiles_at, 16);
       cx.end_products<0>(product.c);
     }},
    {"reads a tile before its signal",
     [](Context& cx) {
       open(cx);
       Product product;
       product.begin(cx, false);
       ask(cx, tile_bytes, tiles_at, tile_bytes);
       // One thread that does not wait is enough.
       if (cx.thread() != 100) cx.wait_for(0, 0);
       cx.begin_products(product.c);
       product.multiply(cx);
       product.end(cx);
     }},
    {"two bulk copies to one place",
     [](Context& cx) {
       open(cx);
       if (cx.thread() == 0) {
         cx.expect(0, 32);
         cx.copy_bulk(1024, source, 16, 0);
         cx.copy_bulk(1024, source, 16, 0);
       }
     }},
    {"not of 16 bytes",
     [](Context& cx) {
       open(cx);
       if (cx.thread() == 0) cx.copy_bulk(1024, source, 24, 0);
     }},
    {"wait for others that never come",
     [](Context& cx) {
       open(cx);
       ask(cx, 32, 1024, 16);
       cx.wait_for(0, 0);
     }},
    {"wait for others that never come",
     [](Context& cx) {
       open(cx);
       ask(cx, 16, 1024, 32);
       cx.wait_for(0, 0);
     }},
    {"wait for others that never come",
     [](Context& cx) {
       open(cx);
       cx.wait_for(0, 0);
     }},
    {"there is no signal",
     [](Context& cx) {
       open(cx);
       cx.arrive(8);
     }},
    {"before it was published",
     [](Context& cx) {
       open(cx, false);
       if (cx.thread() == 0) cx.arrive(0);
     }},
    {"before it was published",
     [](Context& cx) {
       open(cx, true, false);
       if (cx.thread() == 0) cx.arrive(0);
     }},
    {"opened twice",
     [](Context& cx) {
       open(cx);
       open(cx);
     }},
};

}  // namespace

TEST_CASE("Products of tiles take sixteen columns of each, and add where they are told to", "[groups]") {
  for (const Schedule schedule : {Schedule::Lazy, Schedule::Adversarial})
    for (const bool add : {false, true})
      REQUIRE(failure(schedule, 128, [&](Context& cx) {
                Product product;
                product.begin(cx);
                for (std::uint32_t k = 0; k < 4; ++k)
                  cx.multiply_group(product.c, cx.operand(tiles_at + 32 * k, 16, 1024),
                                    cx.operand(tiles_at + tile_bytes + 32 * k, 16, 1024), add || k > 0);
                cx.commit_products();
                if (!std::isnan(product.c[0][0]))
                  throw std::runtime_error("sums are there before they are waited for");
                cx.end_products<0>(product.c);
                for (int i = 0; i < 32; ++i) {
                  float expected = add ? 1 : 0;
                  for (int k = 0; k < 64; ++k)
                    expected += queries.at(row_of(cx.thread(), i), k) * keys.at(column_of(cx.thread(), i), k);
                  if (product.c[i / 4][i % 4] != expected) throw std::runtime_error("a sum is wrong");
                }
              }) == "");
}

TEST_CASE("Products of registers take sixteen rows and all columns of a tile", "[groups]") {
  for (const Schedule schedule : {Schedule::Lazy, Schedule::Adversarial})
    REQUIRE(failure(schedule, 128, [&](Context& cx) {
              write(cx, tiles_at, values);
              cx.sync();
              float narrow[8][4]{}, wide[16][4]{};
              std::uint32_t a[4][4];
              for (int k = 0; k < 4; ++k)
                for (int i = 0; i < 4; ++i) {
                  // PTX ISA, "Register Fragments for wgmma", matrix A.
                  const int row = cx.thread() / 32 * 16 + cx.thread() % 32 / 4 + i % 2 * 8,
                            column = 16 * k + cx.thread() % 4 * 2 + i / 2 * 8;
                  a[k][i] = cx.pack(queries.at(row, column), queries.at(row, column + 1));
                }
              cx.begin_products(narrow, wide, a);
              for (std::uint32_t k = 0; k < 4; ++k)
                cx.multiply_group(narrow, a[k], cx.operand(tiles_at + 2048 * k, half_bytes, 1024));
              cx.commit_products();
              for (std::uint32_t k = 0; k < 4; ++k)
                cx.multiply_group(wide, a[k], cx.operand(tiles_at + 2048 * k, half_bytes, 1024));
              cx.commit_products();
              cx.end_products<1>(narrow);
              for (int i = 0; i < 64; ++i) {
                if (i == 32) cx.end_products<0>(wide, a);
                float expected = 0;
                for (int k = 0; k < 64; ++k)
                  expected += queries.at(row_of(cx.thread(), i), k) * values.at(k, column_of(cx.thread(), i));
                if (i < 32 && narrow[i / 4][i % 4] != expected) throw std::runtime_error("a sum is wrong");
                if (i >= 32 && wide[i / 4][i % 4] != expected) throw std::runtime_error("a sum is wrong");
              }
            }) == "");
}

TEST_CASE("A bulk copy is there when its signal's phase has ended, and phases take turns", "[groups]") {
  std::vector<std::uint16_t> from(3 * 64);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint16_t>(i);
  for (const Schedule schedule : {Schedule::Lazy, Schedule::Adversarial})
    REQUIRE(failure(schedule, 64, [&](Context& cx) {
              open(cx);
              for (unsigned turn = 0; turn < 3; ++turn) {
                if (cx.thread() == 0) {
                  cx.expect(0, 128);
                  cx.copy_bulk(1024, from.data() + turn * 64, 64, 0);
                  cx.copy_bulk(1088, from.data() + turn * 64 + 32, 64, 0);
                }
                cx.wait_for(0, turn & 1);
                const auto at = static_cast<std::uint32_t>(cx.thread());
                if (*cx.shared<std::uint16_t>(1024 + 2 * at) != from[turn * 64 + at])
                  throw std::runtime_error("a number is wrong");
                cx.sync();
              }
            }) == "");
}

TEST_CASE("Whoever breaks a rule of products, copies or signals is told", "[groups]") {
  for (const Fault& fault : faults)
    for (const Schedule schedule : {Schedule::Lazy, Schedule::Adversarial}) {
      const std::string found = failure(schedule, 128, fault.body);
      INFO(fault.what << ", found: " << found);
      // Copies that land at once are never two under way.
      if (schedule == Schedule::Adversarial && std::string(fault.what).starts_with("two bulk")) continue;
      CHECK(found.find(fault.what) != std::string::npos);
    }
}

TEST_CASE("A signal that too many arrive at, and copies under way at the end, fail", "[groups]") {
  // Two arrivals of a phase that has one while its bytes are missing.
  const std::string many = failure(Schedule::Lazy, 32, [](Context& cx) {
    open(cx);
    if (cx.thread() != 0) return;
    cx.expect(0, 16);
    cx.arrive(0);
  });
  CHECK(many.find("more arrivals") != std::string::npos);
  const std::string under_way = failure(Schedule::Lazy, 32, [](Context& cx) {
    open(cx);
    if (cx.thread() == 0) cx.copy_bulk(1024, source, 16, 0);
  });
  CHECK(under_way.find("bulk copies under way") != std::string::npos);
  const std::string few = failure(Schedule::Lazy, 160, [](Context& cx) {
    if (cx.thread() >= 128) cx.sync_group();
  });
  CHECK(few.find("no whole warpgroup") != std::string::npos);
}

}  // namespace attnscope::emulated_groups_test
