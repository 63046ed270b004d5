// Views of the arrays that Python hands over: an address and its sizes, passed on by value and never freed here.
//
// A NamedTuple of Python is a struct of these, field by field in the same order; `engine/core.py` fills it. Rows of
// a matrix lie one after the other. With NDEBUG unset every index is checked.
#pragma once
#include <cassert>
#include <cstdint>
#include <vector>

namespace supersparse {

using Flag = uint8_t;  // numpy's bool

template <class T>
struct Array {
  T* data = nullptr;
  int64_t size = 0;

  T& operator[](int64_t i) const {
    assert(i >= 0 && i < size);
    return data[i];
  }
  T* begin() const { return data; }
  T* end() const { return data + size; }
  Array slice(int64_t from, int64_t to) const {
    assert(from >= 0 && from <= to && to <= size);
    return {data + from, to - from};
  }
  Array from(int64_t first) const { return slice(first, size); }
};

template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0, columns = 0;

  T& operator()(int64_t i, int64_t j) const {
    assert(i >= 0 && i < rows && j >= 0 && j < columns);
    return data[i * columns + j];
  }
  Array<T> row(int64_t i) const {
    assert(i >= 0 && i < rows);
    return {data + i * columns, columns};
  }
};

template <class T>
struct Cube {
  T* data = nullptr;
  int64_t layers = 0, rows = 0, columns = 0;

  T& operator()(int64_t k, int64_t i, int64_t j) const {
    assert(k >= 0 && k < layers && i >= 0 && i < rows && j >= 0 && j < columns);
    return data[(k * rows + i) * columns + j];
  }
  Matrix<T> layer(int64_t k) const {
    assert(k >= 0 && k < layers);
    return {data + k * rows * columns, rows, columns};
  }
};

using Ints = Array<int64_t>;
using Floats = Array<double>;
using Flags = Array<Flag>;
using Words = Array<uint64_t>;

template <class T>
Array<T> view(std::vector<T>& of) {
  return {of.data(), static_cast<int64_t>(of.size())};
}

// Python's // and %: towards minus infinity, the rest with the sign of the divisor.
inline int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}
// floor_div for b > 0: as -1 - a turns the order around, only numbers from 0 on are divided, small ones with 32 bits, which
// takes half as long.
inline int64_t floor_over(int64_t a, int64_t b) {
  const int64_t flip = a >> 63;
  const uint64_t top = static_cast<uint64_t>(a ^ flip), bottom = static_cast<uint64_t>(b);
  const uint64_t q = (top | bottom) >> 32 ? top / bottom : static_cast<uint32_t>(top) / static_cast<uint32_t>(bottom);
  return static_cast<int64_t>(q) ^ flip;
}
inline int64_t floor_mod(int64_t a, int64_t b) {
  const int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

}  // namespace supersparse
