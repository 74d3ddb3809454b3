// Sets of enumerators: their operations, and sets as large as their enumeration.
#include "core/base/bit_set.hpp"

#include <cstddef>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "core/document/stage.hpp"

namespace attnscope::bit_set_test {
namespace {

/// Enumerators without names: 0 … count − 1.
enum class Number : std::size_t {};
template <std::size_t count>
using Numbers = BitSet<Number, count>;

/// Every third of them.
template <std::size_t count>
constexpr Numbers<count> thirds() {
  Numbers<count> some;
  for (std::size_t i = 0; i < count; i += 3) some.insert(static_cast<Number>(i));
  return some;
}

/// Members one by one, against a set of the standard library.
template <std::size_t count>
void check_members() {
  INFO(count << " enumerators");
  std::set<std::size_t> expected;
  Numbers<count> some;
  for (std::size_t i = 0; i < count; i += 3) {
    CHECK_FALSE(some.has(static_cast<Number>(i)));
    some.insert(static_cast<Number>(i));
    expected.insert(i);
  }
  CHECK(some.size() == static_cast<int>(expected.size()));
  for (std::size_t i = 0; i < count; ++i) CHECK(some.has(static_cast<Number>(i)) == expected.contains(i));
  const Numbers<count> rest = Numbers<count>::all() - some;
  CHECK(rest.size() == static_cast<int>(count - expected.size()));
  CHECK_FALSE(rest.intersects(some));
  CHECK((rest | some) == Numbers<count>::all());
  CHECK((rest & some).empty());
}

constexpr std::size_t many = 200;
constexpr Numbers<many> far_apart{Number{0}, Number{31}, Number{32}, Number{63}, Number{64}, Number{199}};
static_assert(far_apart.size() == 6 && far_apart.has(Number{199}) && !far_apart.has(Number{198}));
static_assert(Numbers<many>::all().size() == 200 && Numbers<64>::all().size() == 64);
static_assert(Numbers<many>::all().contains(far_apart) && !far_apart.contains(Numbers<many>::all()));
static_assert((far_apart & thirds<many>()) == Numbers<many>{Number{0}, Number{63}});
static_assert((far_apart - thirds<many>()).size() == 4);
static_assert((far_apart | thirds<many>()).size() == 67 + 4);
static_assert(Numbers<many>().empty() && !Numbers<many>().intersects(far_apart));
static_assert(far_apart.contains(Numbers<many>()) && far_apart != thirds<many>());

}  // namespace

TEST_CASE("A set has room for every enumerator, however many words that takes") {
  check_members<1>();
  check_members<22>();
  check_members<32>();
  check_members<33>();
  check_members<64>();
  check_members<65>();
  check_members<many>();
}

TEST_CASE("Sets are joined, intersected and taken from one another in place") {
  Stages some{Stage::Query, Stage::Key};
  some |= Stages{Stage::Value};
  CHECK(some == Stages{Stage::Key, Stage::Query, Stage::Value});
  some &= Stages{Stage::Value, Stage::Key, Stage::Output};
  CHECK(some == Stages{Stage::Key, Stage::Value});
  some -= Stages{Stage::Key, Stage::Mix};
  CHECK(some == Stages{Stage::Value});
  CHECK(Stages::all().size() == static_cast<int>(stage_count));
}

}  // namespace attnscope::bit_set_test
