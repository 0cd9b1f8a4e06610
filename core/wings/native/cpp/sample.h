// Samples and PyTorch's outputs for them, as text: read, compare, report.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Values {
  std::string name, type;  // type: float32, int64 or bool
  std::vector<int64_t> shape;
  std::vector<double> numbers;
};

struct Sample {
  std::vector<Values> inputs, outputs;
};

inline std::vector<Values> read_values(std::istream& text) {
  std::string word;
  size_t count = 0, rank = 0;
  if (!(text >> word >> count)) throw std::runtime_error("sample.txt is incomplete");
  std::vector<Values> all(count);
  for (Values& each : all) {
    text >> each.name >> each.type >> rank;
    each.shape.resize(rank);
    size_t size = 1;
    for (int64_t& length : each.shape) {
      text >> length;
      size *= static_cast<size_t>(length);
    }
    each.numbers.resize(size);
    for (double& number : each.numbers) text >> number;
    if (!text) throw std::runtime_error("sample.txt is incomplete at " + each.name);
  }
  return all;
}

inline Sample read_sample(const std::string& path) {
  std::ifstream text(path);
  if (!text) throw std::runtime_error(path + " cannot be read");
  Sample sample;
  sample.inputs = read_values(text);
  sample.outputs = read_values(text);
  return sample;
}

// Compares and prints; returns 0 if all outputs are equal up to rounding, else 1.
inline int report(const std::vector<Values>& expected, const std::vector<std::vector<double>>& got,
                double milliseconds) {
  double difference = 0, largest = 1;
  if (got.size() != expected.size()) {
    std::printf("%zu outputs expected, %zu received\n", expected.size(), got.size());
    return 1;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::vector<double>& expected_numbers = expected[i].numbers;
    if (got[i].size() != expected_numbers.size()) {
      std::printf("%s: %zu numbers expected, %zu received\n", expected[i].name.c_str(), expected_numbers.size(),
                  got[i].size());
      return 1;
    }
    for (size_t j = 0; j < expected_numbers.size(); ++j) {
      const double off = std::fabs(got[i][j] - expected_numbers[j]);
      difference = off <= difference ? difference : off;  // also keeps a NaN
      largest = std::fmax(largest, std::fabs(expected_numbers[j]));
    }
  }
  const double allowed = 1e-4 * largest;
  const bool equal = difference <= allowed;
  std::printf("largest difference from PyTorch %.1e, allowed %.1e: %s\n", difference, allowed,
              equal ? "equal" : "DIFFERENT");
  std::printf("%.3f ms for the sample\n", milliseconds);
  return equal ? 0 : 1;
}

// Milliseconds of the fastest of five calls: the first ones warm up.
template <typename Call>
double fastest(Call call) {
  double best = INFINITY;
  for (int i = 0; i < 5; ++i) {
    const auto began = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    best = std::fmin(best, took.count());
  }
  return best;
}
