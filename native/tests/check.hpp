// A test is a program: it says what is wrong and fails.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "questions/search.hpp"

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);        \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

namespace supersparse {

inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// Rows with answers to `count` questions, correlated, and soft labels.
inline Problem random_problem(std::mt19937_64& random, int count, int rows, double steepness) {
  Problem problem;
  problem.rows = rows;
  std::vector<double> logit(rows, -0.5);
  for (int j = 0; j < count; j++) {
    Question question;
    question.answers = question.ordered = 2 + static_cast<int>(random() % 3);
    question.allowed = 0xf;  // points 0 to 3
    question.price = 1e-4;
    const double effect = steepness * (uniform(random) - 0.5);
    std::vector<uint8_t> answer(rows);
    for (int i = 0; i < rows; i++) {
      answer[i] = static_cast<uint8_t>(uniform(random) * uniform(random) * question.answers);
      if (j && random() % 3 == 0) answer[i] = std::min<uint8_t>(problem.answer[0][i], question.answers - 1);
      logit[i] += effect * answer[i];
    }
    problem.answer.push_back(answer);
    problem.questions.push_back(question);
  }
  for (int i = 0; i < rows; i++) {
    const double label = 1 / (1 + std::exp(-logit[i] - 2 * (uniform(random) - 0.5)));
    problem.weight.push_back(1.0 / rows);
    problem.positive.push_back(std::floor(label * 1048574 + 1) / 1048576 / rows);
  }
  problem.must.assign(count, 0);
  problem.must_not.assign(count, 0);
  problem.most = std::min(count, 3);
  return problem;
}

}  // namespace supersparse
