#include "errors/proof_lines.hpp"

#include <charconv>
#include <numeric>

namespace supersparse {

void Writer::digits(int64_t number) {
  char* begin = reinterpret_cast<char*>(text_.data()) + size_;
  size_ += std::to_chars(begin, begin + 20, number).ptr - begin;
}

void Writer::term(int64_t of, int64_t top, int64_t bottom) {
  whole(of);
  const int64_t common = bottom == 1 ? 1 : std::gcd(top, bottom);
  whole(top / common);
  if (bottom == common) return;
  put('/');
  digits(bottom / common);
}

void Writer::assume(bool is_most, int64_t right, int64_t variable) {
  reserve(kLongLine);
  start(is_most, right);
  whole(1);
  whole(variable);
  whole(1);
  word(" { asm");
  end(-1);
}

void Writer::close_branching(int64_t best, int64_t first, int64_t first_assumed, int64_t second, int64_t second_assumed) {
  reserve(kLongLine);
  start(false, best);
  word(" OBJ { uns");
  for (int64_t number : {first, first_assumed, second, second_assumed}) whole(number);
  end(-1);
}

}  // namespace supersparse
