#include "errors/ratio_pairs.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "errors/ratio_loops.hpp"

namespace supersparse::ratios {

constexpr int64_t kPerPoint = 20;  // groups of one point that a packing looks at

int64_t sorted_by_key(Array<int32_t> key, Ints order, int64_t most) {
  std::array<int64_t, kBuckets + 1> place{};
  for (int32_t k : key) place[k + 1]++;
  for (int b = 0; b < kBuckets; b++) place[b + 1] += place[b];
  int last = 0;
  while (last < kBuckets - 2 && place[last + 1] < most) last++;
  const int64_t n = place[last + 1];
  for (int64_t q = 0; q < key.size; q++)
    if (key[q] <= last) order[place[key[q]]++] = q;
  return n;
}

int64_t size_of(Ints member) {
  int64_t size = 0;
  while (size < kMembers && member[size] >= 0) size++;
  return size;
}

void write_factors(Singles low, Singles high, Ints undecided, const PairList& listed, int64_t c, int64_t kept) {
  listed.place[kept] = c;
  listed.size[kept] = size_of(listed.member.row(c));
  const double rate = listed.key[c] > 0 ? kFine / static_cast<double>(listed.missing[c]) : 0.0;
  const Ints factors = listed.factor.row(kept);
  for (int64_t t = 0; t < undecided.size; t++) {
    const int64_t f = undecided[t];
    const float d = listed.difference(f, c);
    const double gift = static_cast<double>(std::max(low[f] * d, high[f] * d)) * rate;
    // at least the true one, rounded up
    const int64_t factor = gift > 0 ? static_cast<int64_t>(std::min<double>(kFine, gift + 1.001)) : 0;
    factors[t] = d > 0 ? factor : -factor;
  }
}

bool has_room(Ints member, Ints left) {
  const int64_t size = size_of(member);
  for (int64_t k = 0; k < size; k++)
    if (left[member[k]] == 0) return false;
  for (int64_t k = 0; k < size; k++) left[member[k]]--;
  return true;
}

int64_t choose_groups(const BoxPart& part, const PairList& listed, int64_t n) {
  int64_t kept = 0;
  std::fill(listed.left.begin(), listed.left.end(), kPerPoint);
  for (int64_t z = 0; z < n && kept < kFirstPacked; z++) {
    const int64_t c = listed.order[z];
    if (has_room(listed.member.row(c), listed.left))
      write_factors(part.low, part.high, part.undecided, listed, c, kept++);
  }
  return kept;
}

}  // namespace supersparse::ratios
