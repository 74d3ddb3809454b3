#include "gpu/emulated_groups.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "gpu/emulated_context.hpp"

namespace attnscope::emulator {

namespace {

constexpr std::uint32_t in_work = 0xffffffff;  // what sums hold while a product is under way: a NaN

}  // namespace

void Groups::reset(std::size_t shared_bytes, int threads) {
  signals_.clear();
  regions_.clear();
  copies_.clear();
  unpublished_.assign(shared_bytes / 16 + 1, 0);
  waited_.assign(static_cast<std::size_t>(threads), {});
  warpgroups_.assign(static_cast<std::size_t>(threads / lanes), {});
}

std::string Groups::unfinished() const {
  if (!copies_.empty()) return "the block ended with bulk copies under way";
  for (const Warpgroup& group : warpgroups_) {
    if (!group.open.empty()) return "the block ended with products that are in no group";
    for (const auto& products : group.groups)
      if (!products.empty()) return "the block ended with products under way";
  }
  return {};
}

void Groups::open(std::size_t at, unsigned arrivals) {
  block_.shared(at, 8, 8);
  if (arrivals == 0 || signals_.count(at) != 0) block_.fail("a signal is opened twice, or for nobody");
  signals_[at] = {arrivals, arrivals, 0, 0, block_.current_thread(), block_.barriers()};
}

Groups::Signal& Groups::signal(std::size_t at) {
  const auto found = signals_.find(at);
  if (found == signals_.end()) block_.fail(fmt::format("there is no signal at {}", at));
  Signal& found_signal = found->second;
  if (found_signal.opened_at == block_.barriers() || !found_signal.published)
    block_.fail("a signal is used before it was published and a barrier passed");
  return found_signal;
}

void Groups::end_phase_if_complete(Signal& s) {
  if (s.pending != 0 || s.bytes != 0) return;
  ++s.phase;
  s.pending = s.arrivals;
  block_.wake();
}

void Groups::arrive(std::size_t at, std::uint32_t bytes) {
  Signal& s = signal(at);
  if (s.pending == 0) block_.fail("a signal has more arrivals than it was opened for");
  s.bytes += bytes;
  --s.pending;
  end_phase_if_complete(s);
}

bool Groups::is_over(std::size_t at, unsigned parity) {
  const Signal& s = signal(at);
  // Before the first phase is one that has ended.
  if ((s.phase & 1) == parity) return false;
  waited_[static_cast<std::size_t>(block_.current_thread())][at] = s.phase;
  return true;
}

void Groups::copy(std::size_t to, const void* from, std::size_t bytes, std::size_t at) {
  signal(at);
  if (bytes == 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
    block_.fail("a bulk copy that is not of 16 bytes each");
  unsigned char* const place = static_cast<unsigned char*>(block_.shared(to, bytes, 16));
  check_unread(to, to + bytes);
  const auto overlaps = [&](const Region& r) { return r.from < to + bytes && to < r.to; };
  for (const auto& region : regions_)
    if (overlaps(*region) && !region->landed) block_.fail("two bulk copies to one place");
  regions_.erase(
      std::remove_if(regions_.begin(), regions_.end(), [&](const auto& r) { return overlaps(*r); }),
      regions_.end());
  for (std::size_t chunk = to / 16; chunk < (to + bytes) / 16; ++chunk) unpublished_[chunk] = 0;
  std::memset(place, 0xff, bytes);
  regions_.push_back(std::make_unique<Region>(Region{to, to + bytes, at, signal(at).phase + 1, false}));
  copies_.push_back({regions_.back().get(), from});
  if (!at_once_) return;
  const Copy now = copies_.back();
  copies_.pop_back();
  land(now);
}

void Groups::land(const Copy& copy) {
  Region& region = *copy.region;
  std::memcpy(block_.shared(region.from, region.to - region.from, 16), copy.from, region.to - region.from);
  region.landed = true;
  Signal& s = signals_.at(region.signal);
  s.bytes -= static_cast<std::int64_t>(region.to - region.from);
  end_phase_if_complete(s);
}

bool Groups::land_one(std::mt19937_64& random) {
  if (copies_.empty()) return false;
  const std::size_t which = random() % copies_.size();
  const Copy copy = copies_[which];
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(which));
  land(copy);
  return true;
}

void Groups::written(std::size_t at) {
  unpublished_[at / 16] = block_.current_thread() + 1;
  check_unread(at, at + 16);
}

void Groups::publish() {
  const int thread = block_.current_thread();
  std::replace(unpublished_.begin(), unpublished_.end(), thread + 1, -thread - 1);
  any_published_ = true;
  for (auto& [at, s] : signals_)
    if (s.opened_by == thread) s.published = true;
}

void Groups::passed(int first, int last) {
  if (!any_published_) return;
  for (int& writer : unpublished_)
    if (writer < -first && writer >= -last) writer = 0;
  any_published_ =
      std::any_of(unpublished_.begin(), unpublished_.end(), [](int writer) { return writer < 0; });
}

void Groups::check_unread(std::size_t from, std::size_t to) {
  const auto reads = [&](const Product& product) {
    return std::any_of(product.chunks.begin(), product.chunks.end(),
                       [&](std::size_t at) { return at + 16 > from && at < to; });
  };
  for (const Warpgroup& group : warpgroups_) {
    bool any = std::any_of(group.open.begin(), group.open.end(), reads);
    for (const auto& products : group.groups)
      any = any || std::any_of(products.begin(), products.end(), reads);
    if (any) block_.fail("shared memory is overwritten that a product under way reads");
  }
}

void Groups::check_readable(int first, const std::vector<std::size_t>& chunks) {
  for (const std::size_t at : chunks) {
    block_.shared(at, 16, 16);
    if (unpublished_[at / 16] > 0) block_.fail("a product reads what was written and not published");
    if (unpublished_[at / 16] < 0) block_.fail("a product reads what others published without a barrier");
  }
  for (const auto& region : regions_) {
    if (std::none_of(chunks.begin(), chunks.end(),
                     [&](std::size_t at) { return at + 16 > region->from && at < region->to; }))
      continue;
    for (int t = first; t < first + lanes; ++t) {
      const auto& waited = waited_[static_cast<std::size_t>(t)];
      const auto found = waited.find(region->signal);
      if (!region->landed || found == waited.end() || found->second < region->phase)
        block_.fail("a product reads a tile before its signal");
    }
  }
}

void Groups::begin(int first) { warpgroups_.at(static_cast<std::size_t>(first / lanes)).begun = true; }

std::size_t Groups::chunk_of(std::uint64_t tile, int line, int chunk, bool by_column) {
  const auto field = [&](int from) { return static_cast<std::size_t>(tile >> from & 0x3fff) * 16; };
  constexpr std::uint64_t known = std::uint64_t{0x3fff} | std::uint64_t{0x3fff} << 16 |
                                  std::uint64_t{0x3fff} << 32 | std::uint64_t{3} << 62;
  if ((tile & ~known) != 0 || tile >> 62 != 1)
    block_.fail("a tile that is not exchanged within 128 bytes from a multiple of 1024 on");
  const std::size_t start = field(0), leading = field(16), stride = field(32);
  if (start % 1024 >= 128 || stride % 1024 != 0 || (by_column && leading % 1024 != 0))
    block_.fail("rows of a tile do not begin at a multiple of 1024");
  const auto l = static_cast<std::size_t>(line), c = static_cast<std::size_t>(chunk);
  // By row, numbers of a line follow each other; by column, a chunk has eight lines' numbers.
  const std::size_t at = by_column ? start + c % 8 * 16 + c / 8 * leading + l % 8 * 128 + l / 8 * stride
                                   : start + l % 8 * 128 + l / 8 * stride + c * 16;
  return at ^ (at >> 7 & 7) << 4;
}

std::shared_ptr<Groups::Sums> Groups::sums_of(int first, const std::vector<GroupProduct>& all) {
  Warpgroup& group = warpgroups_.at(static_cast<std::size_t>(first / lanes));
  const auto matches = [&](const Product& product) { return product.sums->c[0] == all[0].c; };
  for (auto products = group.groups.begin(); products != group.groups.end(); ++products)
    for (const Product& product : *products)
      if (matches(product)) return product.sums;
  for (const Product& product : group.open)
    if (matches(product)) return product.sums;
  auto sums = std::make_shared<Sums>();
  sums->columns = all[0].columns;
  sums->values.resize(static_cast<std::size_t>(64 * sums->columns));
  for (const GroupProduct& lane : all) sums->c.push_back(lane.c);
  for (std::size_t l = 0; l < lanes; ++l)
    for (int i = 0; i < sums->columns / 2; ++i) {
      sums->values[l * static_cast<std::size_t>(sums->columns / 2) + static_cast<std::size_t>(i)] =
          all[l].c[i];
      all[l].c[i] = std::bit_cast<float>(in_work);
    }
  return sums;
}

void Groups::multiply(int first, void* const* arguments) {
  Warpgroup& group = warpgroups_.at(static_cast<std::size_t>(first / lanes));
  if (!group.begun) block_.fail("products of registers that may have changed since the last ones");
  std::vector<GroupProduct> all;
  for (int l = 0; l < lanes; ++l) all.push_back(*static_cast<const GroupProduct*>(arguments[l]));
  Product product;
  product.a_tile = all[0].a_tile, product.b_tile = all[0].b_tile, product.add = all[0].add;
  const bool of_registers = all[0].a != nullptr;
  for (const GroupProduct& lane : all) {
    if (lane.a_tile != product.a_tile || lane.b_tile != product.b_tile || lane.add != product.add ||
        lane.columns != all[0].columns || (lane.a != nullptr) != of_registers)
      block_.fail("the lanes of a warpgroup want different products");
    if (!of_registers) continue;
    product.a.push_back(lane.a);
    product.a_was.insert(product.a_was.end(), lane.a, lane.a + 4);
  }
  for (int line = 0; line < 64 && !of_registers; ++line)
    for (int chunk = 0; chunk < 2; ++chunk)
      product.chunks.push_back(chunk_of(product.a_tile, line, chunk, false));
  const int lines = of_registers ? 16 : all[0].columns, chunks = of_registers ? all[0].columns / 8 : 2;
  for (int line = 0; line < lines; ++line)
    for (int chunk = 0; chunk < chunks; ++chunk)
      product.chunks.push_back(chunk_of(product.b_tile, line, chunk, of_registers));
  check_readable(first, product.chunks);
  product.sums = sums_of(first, all);
  ++product.sums->under_way;
  if (at_once_) compute(product);
  group.open.push_back(std::move(product));
}

void Groups::compute(const Product& product) {
  const bool of_registers = !product.a.empty();
  const std::size_t columns = static_cast<std::size_t>(product.sums->columns);
  std::vector<float> a(64 * 16), b(16 * columns);
  std::size_t next = 0;
  const auto read_chunk = [&](float(&numbers)[8]) {
    std::uint16_t raw[8];
    std::memcpy(raw, block_.shared(product.chunks[next++], 16, 16), 16);
    for (int i = 0; i < 8; ++i) numbers[i] = from_bfloat(raw[i]);
  };
  float eight[8];
  for (std::size_t line = 0; line < 64 && !of_registers; ++line)
    for (std::size_t chunk = 0; chunk < 2; ++chunk) {
      read_chunk(eight);
      std::copy(eight, eight + 8, a.begin() + static_cast<std::ptrdiff_t>(line * 16 + chunk * 8));
    }
  for (std::size_t l = 0; l < lanes && of_registers; ++l)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t half = 0; half < 2; ++half)
        a[(l / 32 * 16 + l % 32 / 4 + i % 2 * 8) * 16 + l % 4 * 2 + half + i / 2 * 8] =
            from_bfloat(static_cast<std::uint16_t>(product.a_was[l * 4 + i] >> (16 * half)));
  for (std::size_t line = 0; line < (of_registers ? 16 : columns); ++line)
    for (std::size_t chunk = 0; chunk < (of_registers ? columns / 8 : 2); ++chunk) {
      read_chunk(eight);
      for (std::size_t i = 0; i < 8; ++i)
        b[of_registers ? line * columns + chunk * 8 + i : (chunk * 8 + i) * columns + line] = eight[i];
    }
  for (std::size_t l = 0; l < lanes; ++l)
    for (std::size_t i = 0; i < columns / 2; ++i) {
      const std::size_t row = l / 32 * 16 + l % 32 / 4 + i % 4 / 2 * 8,
                        column = i / 4 * 8 + l % 4 * 2 + i % 2;
      float sum = 0;
      for (std::size_t k = 0; k < 16; ++k) sum += a[row * 16 + k] * b[k * columns + column];
      float& value = product.sums->values[l * (columns / 2) + i];
      value = product.add ? value + sum : sum;
    }
}

void Groups::commit(int first) {
  Warpgroup& group = warpgroups_.at(static_cast<std::size_t>(first / lanes));
  group.groups.push_back(std::move(group.open));
  group.open.clear();
}

void Groups::end(int first, std::size_t most_under_way) {
  Warpgroup& group = warpgroups_.at(static_cast<std::size_t>(first / lanes));
  while (group.groups.size() > most_under_way) {
    const std::vector<Product> products = std::move(group.groups.front());
    group.groups.pop_front();
    for (const Product& product : products) finish(product);
  }
  group.begun = false;
}

void Groups::finish(const Product& product) {
  for (std::size_t l = 0; l < product.a.size(); ++l)
    if (!std::equal(product.a[l], product.a[l] + 4,
                    product.a_was.begin() + static_cast<std::ptrdiff_t>(4 * l)))
      block_.fail("an operand in registers changed while its product was under way");
  if (!at_once_) compute(product);
  Sums& sums = *product.sums;
  if (--sums.under_way > 0) return;
  for (std::size_t l = 0; l < lanes; ++l)
    for (int i = 0; i < sums.columns / 2; ++i) {
      float& to = sums.c[l][i];
      if (std::bit_cast<std::uint32_t>(to) != in_work)
        block_.fail("sums were touched while their product was under way");
      to = sums.values[l * static_cast<std::size_t>(sums.columns / 2) + static_cast<std::size_t>(i)];
    }
}

}  // namespace attnscope::emulator
