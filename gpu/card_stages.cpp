#include "gpu/card_stages.hpp"

#include <numbers>
#include <utility>

#include "core/base/error.hpp"
#include "gpu/launching.hpp"

namespace attnscope::gpu {

namespace {

int as_int(std::int64_t size) {
  if (size > 0x7fffffff) throw Error("The tensor has a side that a graphics card cannot count.");
  return static_cast<int>(size);
}

}  // namespace

template <class Fill>
TensorPtr CardStages::made(const Shape& shape, Fill fill) const {
  DeviceArray<float> numbers = copies_.room<float>(shape.count());
  fill(numbers.data());
  device_.wait();  // so that the stage's time is its own, and its failure appears here
  if (work().stop.stop_requested()) throw Cancelled();
  return std::make_shared<const Tensor>(copies_.made(shape, std::move(numbers)));
}

void CardStages::multiply(ProductPass pass) const {
  const std::int64_t multiplications =
      std::int64_t{1} * pass.batch * pass.heads * pass.rows * pass.columns * pass.inner;
  pass.split = multiplications >= settings_.split_from && device_.facts().capability >= 80;
  launch_blocks(device_, pass);
}

/// x [batch][tokens][d_in] · w [d_in][heads * d], a head at a time.
TensorPtr CardStages::project(const Ptr& x, const Ptr& w, const Ptr& bias, std::int64_t heads,
                              std::int64_t first) const {
  const Shape &xs = x->shape(), &ws = w->shape();
  const std::int64_t tokens = xs[1] - first, d = ws[1] / heads;
  return made({xs[0], heads, tokens, d}, [&](float* to) {
    ProductPass pass{};
    pass.a = copies_.get(x) + first * xs[2];
    pass.b = copies_.get(w);
    pass.bias = bias ? copies_.get(bias) : nullptr;
    pass.c = to;
    pass.rows = as_int(tokens), pass.columns = as_int(d), pass.inner = as_int(xs[2]);
    pass.batch = as_int(xs[0]), pass.heads = as_int(heads), pass.group = 1;
    pass.a_row = xs[2], pass.a_batch = xs[1] * xs[2];
    pass.b_row = ws[1], pass.b_head = d;
    pass.c_row = d, pass.c_head = tokens * d, pass.c_batch = heads * tokens * d;
    multiply(pass);
  });
}

TensorPtr CardStages::score(const Ptr& query, const Ptr& key) const {
  const Shape &qs = query->shape(), &ks = key->shape();
  return made({qs[0], qs[1], qs[2], ks[2]}, [&](float* to) {
    ProductPass pass{};
    pass.a = copies_.get(query);
    pass.b = copies_.get(key);
    pass.c = to;
    pass.rows = as_int(qs[2]), pass.columns = as_int(ks[2]), pass.inner = as_int(qs[3]);
    pass.b_transposed = true;
    pass.batch = as_int(qs[0]), pass.heads = as_int(qs[1]), pass.group = as_int(qs[1] / ks[1]);
    pass.a_row = qs[3], pass.a_head = qs[2] * qs[3], pass.a_batch = qs[1] * pass.a_head;
    pass.b_row = ks[3], pass.b_head = ks[2] * ks[3], pass.b_batch = ks[1] * pass.b_head;
    pass.c_row = ks[2], pass.c_head = qs[2] * ks[2], pass.c_batch = qs[1] * pass.c_head;
    multiply(pass);
  });
}

TensorPtr CardStages::scale(const Ptr& scores, double factor) const {
  return made(scores->shape(), [&](float* to) {
    launch_each(device_,
                ElementPass{copies_.get(scores), to, scores->size(), static_cast<float>(factor), false});
  });
}

TensorPtr CardStages::cap(const Ptr& scaled, float c) const {
  return made(scaled->shape(), [&](float* to) {
    launch_each(device_, ElementPass{copies_.get(scaled), to, scaled->size(), c, true});
  });
}

TensorPtr CardStages::mask(const Ptr& capped, const Ptr& bias, const Ptr& additive,
                           const MaskRule& rule) const {
  const std::optional<MaskIntervals> intervals = rule.intervals();
  if (!intervals || rule.after_softmax() || rule.adds_hidden_value())
    return StageMath::mask(capped, bias, additive, rule);
  const Shape& shape = capped->shape();
  const auto begin = copies_.uploaded<std::int32_t>(intervals->begin),
             end = copies_.uploaded<std::int32_t>(intervals->end);
  const auto patterned = copies_.uploaded<std::uint8_t>(intervals->patterned);
  return made(shape, [&](float* to) {
    MaskPass pass{};
    pass.capped = copies_.get(capped);
    pass.to = to;
    pass.batch = as_int(shape[0]), pass.heads = as_int(shape[1]);
    pass.queries = as_int(shape[2]), pass.keys = as_int(shape[3]);
    const std::int64_t cells = shape[2] * shape[3];
    if (bias) {
      pass.bias = copies_.get(bias);
      pass.bias_batch = bias->shape()[0] == 1 ? 0 : shape[1] * cells;
    }
    if (additive) {
      pass.additive = copies_.get(additive);
      pass.additive_head = additive->shape()[1] == 1 ? 0 : cells;
      pass.additive_batch = additive->shape()[0] == 1 ? 0 : additive->shape()[1] * cells;
    }
    pass.begin = begin.data(), pass.end = end.data(), pass.patterned = patterned.data();
    pass.hidden_value = static_cast<float>(rule.hidden_value());
    launch_each(device_, pass);
  });
}

TensorPtr CardStages::softmax(SoftmaxKind kind, const Ptr& masked, float temperature) const {
  if (kind != SoftmaxKind::Stable) return StageMath::softmax(kind, masked, temperature);
  const std::int64_t keys = masked->shape()[3];
  return made(masked->shape(), [&](float* to) {
    launch_blocks(device_,
                  SoftmaxPass{copies_.get(masked), to, masked->size() / keys, as_int(keys),
                              static_cast<float>(std::numbers::log2e / static_cast<double>(temperature))});
  });
}

TensorPtr CardStages::mix(const Ptr& weights, const Ptr& value) const {
  const Shape &as = weights->shape(), &vs = value->shape();
  return made({as[0], as[1], as[2], vs[3]}, [&](float* to) {
    ProductPass pass{};
    pass.a = copies_.get(weights);
    pass.b = copies_.get(value);
    pass.c = to;
    pass.rows = as_int(as[2]), pass.columns = as_int(vs[3]), pass.inner = as_int(as[3]);
    pass.batch = as_int(as[0]), pass.heads = as_int(as[1]), pass.group = as_int(as[1] / vs[1]);
    pass.a_row = as[3], pass.a_head = as[2] * as[3], pass.a_batch = as[1] * pass.a_head;
    pass.b_row = vs[3], pass.b_head = vs[2] * vs[3], pass.b_batch = vs[1] * pass.b_head;
    pass.c_row = vs[3], pass.c_head = as[2] * vs[3], pass.c_batch = as[1] * pass.c_head;
    multiply(pass);
  });
}

TensorPtr CardStages::concat(const Ptr& mixed) const {
  const Shape& shape = mixed->shape();
  return made({shape[0], shape[2], shape[1] * shape[3]}, [&](float* to) {
    launch_each(device_, ConcatPass{copies_.get(mixed), to, mixed->size(), as_int(shape[1]), as_int(shape[2]),
                                    as_int(shape[3])});
  });
}

TensorPtr CardStages::rotate(const Ptr& x, const Rotation<float>& rotation) const {
  const Shape &shape = x->shape(), &turns = rotation.cosine.shape();
  const auto cosine = copies_.uploaded(rotation.cosine.values()),
             sine = copies_.uploaded(rotation.sine.values());
  return made(shape, [&](float* to) {
    RotatePass pass{};
    pass.from = copies_.get(x);
    pass.to = to;
    pass.count = x->size();
    pass.heads = as_int(shape[1]), pass.rows = as_int(shape[2]), pass.d = as_int(shape[3]);
    pass.cosine = cosine.data(), pass.sine = sine.data();
    pass.tokens = as_int(turns[1]), pass.pairs = as_int(turns[2]);
    pass.turn_batch = turns[0] == 1 ? 0 : turns[1] * turns[2];
    pass.interleaved = rotation.interleaved;
    launch_each(device_, pass);
  });
}

TensorPtr CardStages::spread_distances(const Ptr& values, std::int64_t queries, std::int64_t keys) const {
  const Shape& shape = values->shape();
  const Shape planes{shape[0], shape[1], queries, keys};
  return made(planes, [&](float* to) {
    launch_each(device_, DistancePass{copies_.get(values), to, planes.count(), as_int(queries), as_int(keys),
                                      as_int(shape[2])});
  });
}

TensorPtr CardStages::output(const Ptr& concatenated, const Ptr& w, const Ptr& bias) const {
  const Shape &cs = concatenated->shape(), &ws = w->shape();
  return made({cs[0], cs[1], ws[1]}, [&](float* to) {
    ProductPass pass{};
    pass.a = copies_.get(concatenated);
    pass.b = copies_.get(w);
    pass.bias = bias ? copies_.get(bias) : nullptr;
    pass.c = to;
    pass.rows = as_int(cs[0] * cs[1]), pass.columns = as_int(ws[1]), pass.inner = as_int(cs[2]);
    pass.batch = pass.heads = pass.group = 1;
    pass.a_row = cs[2], pass.b_row = ws[1], pass.c_row = ws[1];
    multiply(pass);
  });
}

}  // namespace attnscope::gpu
