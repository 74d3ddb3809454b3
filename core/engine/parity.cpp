#include "core/engine/parity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"

namespace attnscope {

namespace {

bool fits(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return true;
  return a == b || (std::isnan(a) && std::isnan(b));
}

Difference not_comparable(const Shape& shape) {
  Difference none;
  none.shape = shape;
  none.comparable = false;
  return none;
}

template <class T>
Difference of_pointers(const TensorPtrOf<T>& first, const TensorPtrOf<T>& second) {
  if (!first || !second) return not_comparable((first ? first : second)->shape());
  return difference_of(*first, *second);
}

/// Whether a stage shares the tensor of an earlier one.
bool is_shared(const Trace& trace, Stage stage) {
  for (const StageInfo& row : stage_table) {
    if (row.stage == stage) return false;
    if (trace[row.stage] && trace[row.stage] == trace[stage]) return true;
  }
  return false;
}

void add_stages(Parity& parity, const Trace& first, const Trace& second, const std::stop_token& stop) {
  for (const StageInfo& row : stage_table) {
    if (stop.stop_requested()) throw Cancelled();
    if (!first[row.stage] && !second[row.stage]) continue;
    if (is_shared(first, row.stage) && is_shared(second, row.stage)) continue;
    parity.rows.push_back({std::string(row.name), of_pointers(first[row.stage], second[row.stage])});
  }
}

/// [batch][heads][queries]
void add_measures(Parity& parity, const Measures& first, const Measures& second) {
  const auto add = [&](const char* name, double RowMeasures::*member) {
    const auto values = [&](const Measures& of) {
      std::vector<double> all;
      all.reserve(of.rows.size());
      for (const RowMeasures& row : of.rows) all.push_back(row.*member);
      return all;
    };
    const Shape shape{first.batch, first.heads, first.queries};
    parity.rows.push_back({name, first.rows.size() == second.rows.size()
                                     ? difference_of<double>(values(first), values(second), shape)
                                     : not_comparable(shape)});
  };
  add("entropy", &RowMeasures::entropy);
  add("log-sum-exp", &RowMeasures::log_sum_exp);
}

void add_gradients(Parity& parity, const GradientsPtr& first, const GradientsPtr& second) {
  if (!first || !second) return;
  const auto add = [&](std::string name, const TensorPtr& a, const TensorPtr& b) {
    if (a || b) parity.rows.push_back({std::move(name), of_pointers(a, b)});
  };
  using Member = TensorPtr Gradients::*;
  for (const auto& [name, member] :
       std::initializer_list<std::pair<const char*, Member>>{{"∂Y", &Gradients::output},
                                                             {"∂A", &Gradients::weights},
                                                             {"∂M", &Gradients::masked},
                                                             {"∂S", &Gradients::scores},
                                                             {"∂Q", &Gradients::query},
                                                             {"∂K", &Gradients::key},
                                                             {"∂V", &Gradients::value},
                                                             {"∂X", &Gradients::x}})
    add(name, (*first).*member, (*second).*member);
  constexpr std::string_view article = "the ";  // "∂learned key"
  for (const ParameterInfo& row : parameter_table) {
    const std::string_view name = row.name.starts_with(article) ? row.name.substr(article.size()) : row.name;
    add("∂" + std::string(name), (*first)[row.parameter], (*second)[row.parameter]);
  }
}

/// The differences of the sequences of a batch as one with shape [batch] and the sequences' shape.
Difference joined(const std::vector<Difference>& parts) {
  const Shape& part = parts.front().shape;
  std::vector<std::int64_t> sizes{std::ssize(parts)};
  for (int axis = 0; axis < part.rank(); ++axis) sizes.push_back(part[axis]);
  Difference all;
  all.shape = Shape(sizes);
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const Difference& d = parts[b];
    if (!d.comparable || !(d.shape == part)) return not_comparable(all.shape);
    const std::int64_t before = static_cast<std::int64_t>(b) * part.count();
    if (d.absolute > all.absolute) {
      all.absolute = d.absolute;
      all.at = before + d.at;
      all.first = d.first;
      all.second = d.second;
    }
    if (all.misfit_at < 0 && d.misfit_at >= 0) all.misfit_at = before + d.misfit_at;
    all.misfits += d.misfits;
    all.magnitude = std::max(all.magnitude, d.magnitude);
  }
  return all;
}

void add_sweeps(Parity& parity, const LayerResult& first, const LayerResult& second) {
  const auto add = [&](const char* name, auto member) {
    std::vector<Difference> parts;
    for (std::size_t b = 0; b < first.surveys.size(); ++b)
      parts.push_back(difference_of(first.surveys[b]->known.*member, second.surveys.at(b)->known.*member));
    if (parts.front().shape.count() > 0) parity.rows.push_back({name, joined(parts)});
  };
  add("log-sum-exp", &Sweep::log_sum_exp);
  add("entropy", &Sweep::entropy);
  add("largest weight", &Sweep::largest);
  add("attention received", &Sweep::received);
  add("means of the picture", &Sweep::mean);
  add("maxima of the picture", &Sweep::max);
  if (!first.is_complete()) add("output", &Sweep::output);  // otherwise it is compared as the stage Mix
}

std::int64_t step_of(const LayerResult& result) {
  return result.is_long() ? result.surveys.back()->known.rows.step : 1;
}

}  // namespace

double Difference::relative() const {
  if (absolute == 0) return 0;
  return magnitude == 0 ? std::numeric_limits<double>::infinity() : absolute / magnitude;
}

template <class T>
Difference difference_of(std::span<const T> first, std::span<const T> second, const Shape& shape) {
  if (first.size() != second.size()) return not_comparable(shape);
  Difference d;
  d.shape = shape;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto a = static_cast<double>(first[i]), b = static_cast<double>(second[i]);
    if (std::isfinite(a)) d.magnitude = std::max(d.magnitude, std::abs(a));
    if (!fits(a, b)) {
      if (d.misfits++ == 0) d.misfit_at = static_cast<std::int64_t>(i);
    } else if (std::isfinite(a) && std::abs(b - a) > d.absolute) {
      d.absolute = std::abs(b - a);
      d.at = static_cast<std::int64_t>(i);
      d.first = a;
      d.second = b;
    }
  }
  return d;
}

template <class T>
Difference difference_of(const TensorOf<T>& first, const TensorOf<T>& second) {
  if (!(first.shape() == second.shape())) return not_comparable(first.shape());
  return difference_of<T>(first.values(), second.values(), first.shape());
}

template Difference difference_of(std::span<const float>, std::span<const float>, const Shape&);
template Difference difference_of(std::span<const double>, std::span<const double>, const Shape&);
template Difference difference_of(const Tensor&, const Tensor&);
template Difference difference_of(const TensorOf<double>&, const TensorOf<double>&);

std::string place_in(const Shape& shape, std::int64_t at) {
  std::vector<std::int64_t> place;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place.insert(place.begin(), at % shape[axis]);
    at /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(place, ", "));
}

double ParityProgress::share() const {
  const int total = run_.total.load();
  if (total > 0) return std::clamp(run_.done.load() / static_cast<double>(total), 0.0, 1.0);
  return std::min(1.0, known_.load() * (1 + run_.sweep.share()));
}

Parity compare_backends(const Result& first, const std::shared_ptr<Backend>& second,
                        const std::stop_token& stop, ParityProgress* progress) {
  const LayerResult& own = first.layer();
  Pipeline pipeline(second);
  Progress* const run = progress != nullptr ? &progress->run_ : nullptr;
  ResultPtr other = pipeline.run(first.document, stop, run);
  while (pipeline.can_refine() && step_of(other->layer()) > step_of(own)) {
    if (progress != nullptr)
      progress->known_ = static_cast<double>(step_of(own)) / static_cast<double>(step_of(other->layer()));
    other = pipeline.refine(stop, run);
  }
  const LayerResult& theirs = other->layer();
  Parity parity;
  parity.first = first.backend;
  parity.second = other->backend;
  parity.times = theirs.whole;
  parity.is_complete = own.is_complete();
  add_stages(parity, own.trace, theirs.trace, stop);
  if (own.is_long()) {
    add_sweeps(parity, own, theirs);
  } else {
    add_measures(parity, own.measures, theirs.measures);
    add_gradients(parity, own.gradients, theirs.gradients);
  }
  return parity;
}

std::int64_t parity_bytes(const LayerResult& result) {
  std::set<const Tensor*> counted;
  std::int64_t bytes = 0;
  for (const StageInfo& row : stage_table)
    if (const Tensor* tensor = result.trace[row.stage].get(); tensor && counted.insert(tensor).second)
      bytes += tensor->size() * static_cast<std::int64_t>(sizeof(float));
  for (const SurveyPtr& survey : result.surveys) {
    const Sweep& known = survey->known;
    bytes += static_cast<std::int64_t>(sizeof(float)) *
             (known.output.size() + known.received.size() + known.mean.size() + known.max.size());
  }
  return bytes;
}

}  // namespace attnscope
