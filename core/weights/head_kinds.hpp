// core/weights: each kind of hand-built head as channels; see hand_built.hpp for the formulas.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/weights/hand_built.hpp"

namespace attnscope {

/// A linear form of a row of X: one coefficient per dimension.
using LinearForm = std::vector<double>;

/// Adds gain · query(x_i) · key(x_j) to the scaled score of query i and key j.
struct Channel {
  double gain = 0;  // never negative
  LinearForm query, key;
};

struct BuiltHead {
  std::string_view name;
  std::vector<Channel> (*channels)(const HandBuiltLayout&);  // the most important first
  double random;  // standard deviation of the noise in the weights, x 1/sqrt(d_model)
};
extern const std::array<BuiltHead, 8> head_kinds;

/// κ_-1: the next token. Not one of the eight kinds, since a causal mask hides it.
std::vector<Channel> next_token(const HandBuiltLayout&);

/// first + factor · second.
LinearForm sum(LinearForm first, const LinearForm& second, double factor = 1);

}  // namespace attnscope
