// How numbers are written: a true minus sign, no signed zero, as many places as fit.
#include "app/kit/ui/number_format.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/powers_of_ten.hpp"

namespace attnscope::number_format_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("fixed places with a true minus, and no zero below zero", "[numbers]") {
  CHECK(fixed(0.456, 2) == "0.46");
  CHECK(fixed(-1.255, 1) == "−1.3");
  CHECK(fixed(-0.004, 2) == "0.00");
  CHECK(fixed(-0.4, 0) == "0");
  CHECK(fixed(13.3, 2) == "13.30");
  CHECK(fixed(std::nan(""), 2) == "NaN");
  CHECK(fixed(infinite, 2) == "∞");
  CHECK(fixed(-infinite, 2) == "−∞");
}

TEST_CASE("numbers on a cell", "[numbers]") {
  CHECK(in_cell(0.456) == ".46");
  CHECK(in_cell(-0.31) == "−.31");
  CHECK(in_cell(0) == ".00");
  CHECK(in_cell(-0.004) == ".00");
  CHECK(in_cell(0.9949) == ".99");
  CHECK(in_cell(0.995) == "1.0");
  CHECK(in_cell(-2.25) == "−2.2");
  CHECK(score_in_cell(9.94) == "9.9");
  CHECK(score_in_cell(9.96) == "10");
  CHECK(score_in_cell(-123.4) == "−123");
}

TEST_CASE("any size in little room", "[numbers]") {
  CHECK(tight(0) == "0");
  CHECK(tight(1.24) == "1.2");
  CHECK(tight(12.4) == "12");
  CHECK(tight(0.03) == ".03");
  CHECK(tight(0.005) == ".01");
  CHECK(tight(2e-7) == "2e−7");
  CHECK(tight(-2e-7) == "−2e−7");
  CHECK(tight(9.6e-5) == "1e−4");  // a mantissa rounded to 10 raises the exponent by one
  CHECK(tight(9.4e-5) == "9e−5");
  CHECK(tiny(9.96e-5) == "1.0e−4");
  CHECK(tiny(9.94e-5) == "9.9e−5");
  CHECK(tiny(8.1e-9) == "8.1e−9");
  CHECK(tiny(-8.1e-9) == "−8.1e−9");
  CHECK(tiny(0.25) == "0.250");
  CHECK(tiny(9999) == "1.0e4");
  CHECK(tiny(3.1e18) == "3.1e18");
  CHECK(tiny(-infinite) == "−∞");
}

TEST_CASE("powers of ten are written in one way, on axes and in sentences", "[numbers]") {
  CHECK(power_of_ten(-5) == "1e−5");
  CHECK(power_of_ten(0) == "1");
  CHECK(power_of_ten(4) == "1e4");
  CHECK(power_of_ten(12) == "1e12");
  CHECK(significant(0.456, 2) == "0.46");
  CHECK(significant(7.04e-6, 1) == "7e−6");
  CHECK(significant(-2.22e-9, 3) == "−2.22e−9");
  CHECK(significant(1.99e44, 1) == "2e44");
  CHECK(significant(0, 3) == "0");
  CHECK(significant(-infinite, 3) == "−∞");
  for (const double value : {9.4e-5, -3.1e-12}) CHECK(significant(value, 2) == tiny(value));
}

TEST_CASE("counts and bytes", "[numbers]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(32768) == "32,768");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-123456) == "−123,456");
  CHECK(grouped(-1234) == "−1,234");
  CHECK(bytes(96) == "96 B");
  CHECK(bytes(1023) == "1023 B");
  CHECK(bytes(6 * 1024) == "6.0 KiB");
  CHECK(bytes(3 * 1024 * 512) == "1.5 MiB");
  CHECK(bytes(std::int64_t{1} << 50) == "1024.0 TiB");
  CHECK(metric(999.4) == "999");
  CHECK(metric(999.5) == "1.0 k");
  CHECK(metric(99'950) == "100 k");
  CHECK(metric(2.6e9) == "2.6 G");
}

TEST_CASE("what is counted is one of it or several, with thousands", "[numbers]") {
  CHECK(counted(0, "head", "heads") == "0 heads");
  CHECK(counted(1, "head", "heads") == "1 head");
  CHECK(counted(2, "query", "queries") == "2 queries");
  CHECK(counted(-1, "token", "tokens") == "−1 token");
  CHECK(counted(18001, "token", "tokens") == "18,001 tokens");
}

TEST_CASE("ticks have the places that tell them apart", "[numbers]") {
  CHECK(tick(3, 1) == "3");
  CHECK(tick(0.5, 0.5) == "0.5");
  CHECK(tick(1, 0.25) == "1.00");
  CHECK(tick(-0.75, 0.25) == "−0.75");
  CHECK(tick(20, 10) == "20");
  CHECK(tick(0, 0.001) == "0.000");
}

}  // namespace attnscope::number_format_test
