#include "base/sorting.hpp"

#include <algorithm>
#include <numeric>

namespace supersparse {
namespace {

constexpr int64_t kFull = 32;    // items of one bucket, at most, that are sorted by insertion
constexpr int64_t kNarrow = 32;  // keys that span at most this many times their number are counted: up to ten times as fast

// Counts each key between `least` and `most`, then puts every index at its key's next place.
std::vector<int64_t> order_by_counting(Ints keys, int64_t least, int64_t most) {
  std::vector<int64_t> place(most - least + 2), order(keys.size);
  for (int64_t key : keys) place[key - least + 1]++;
  for (size_t t = 1; t < place.size(); t++) place[t] += place[t - 1];
  for (int64_t i = 0; i < keys.size; i++) order[place[keys[i] - least]++] = i;
  return order;
}

std::vector<int64_t> order_by_comparing(Ints keys) {
  std::vector<int64_t> order(keys.size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace

std::vector<int64_t> order_of(Ints keys) {
  if (keys.size == 0) return {};
  const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
  // halves first: the difference of far keys may not fit
  if (floor_div(*most, 2) - floor_div(*least, 2) <= kNarrow / 2 * keys.size) return order_by_counting(keys, *least, *most);
  return order_by_comparing(keys);
}

void sort_by(Ints key, Ints items, int64_t n, Ints spare, Ints place) {
  if (n < 2) return;
  int64_t least = key[items[0]], most = least;
  for (int64_t t = 0; t < n; t++) {
    least = std::min(least, key[items[t]]);
    most = std::max(most, key[items[t]]);
  }
  const int64_t span = floor_div(most, 2) - floor_div(least, 2);  // halves: the difference of far keys may not fit
  int shift = 0;
  while (span >> shift >= n) shift++;
  // at most 2n buckets
  const int64_t first = least >> shift, buckets = (most >> shift) - first + 1;
  std::fill(place.data, place.data + buckets + 1, 0);
  for (int64_t t = 0; t < n; t++) {
    spare[t] = items[t];
    place[(key[items[t]] >> shift) - first + 1]++;
  }
  int64_t fullest = 0;
  for (int64_t t = 0; t < buckets; t++) {
    fullest = std::max(fullest, place[t + 1]);
    place[t + 1] += place[t];
  }
  if (shift && fullest > kFull) {  // many keys are close to each other and others far away
    std::stable_sort(items.data, items.data + n, [&](int64_t a, int64_t b) { return key[a] < key[b]; });
    return;
  }
  for (int64_t t = 0; t < n; t++) items[place[(key[spare[t]] >> shift) - first]++] = spare[t];
  if (!shift) return;
  for (int64_t t = 1; t < n; t++) {
    const int64_t item = items[t];
    int64_t u = t;
    for (; u > 0 && key[items[u - 1]] > key[item]; u--) items[u] = items[u - 1];
    items[u] = item;
  }
}

}  // namespace supersparse
