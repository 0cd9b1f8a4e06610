// Runs network.pt with libtorch on the samples beside it and compares the outputs with PyTorch's.
//     network [FOLDER]     FOLDER has network.pt and sample.txt (default: the project's folder)
// Exit status: 0 if the outputs are equal, 1 if they differ, 2 if it cannot run.
#include <torch/script.h>

#include <iostream>

#include "sample.h"

torch::Tensor tensor_of(const Values& values) {
  auto numbers = torch::tensor(values.numbers, torch::kDouble).reshape(values.shape);
  if (values.type == "int64") return numbers.to(torch::kLong);
  if (values.type == "bool") return numbers.to(torch::kBool);
  return numbers.to(torch::kFloat);
}

void flatten(const torch::IValue& value, std::vector<std::vector<double>>& outputs) {
  if (value.isTensor()) {
    const auto numbers = value.toTensor().to(torch::kDouble).contiguous();
    const double* first = numbers.data_ptr<double>();
    outputs.emplace_back(first, first + numbers.numel());
  } else if (value.isTuple()) {
    for (const auto& part : value.toTupleRef().elements()) flatten(part, outputs);
  } else {
    for (const auto& part : value.toListRef()) flatten(part, outputs);
  }
}

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : PROJECT_FOLDER;
  try {
    const Sample sample = read_sample(folder + "/sample.txt");
    torch::jit::Module network = torch::jit::load(folder + "/network.pt");
    network.eval();
    torch::NoGradGuard no_grad;
    std::vector<torch::IValue> inputs;
    for (const Values& values : sample.inputs) inputs.emplace_back(tensor_of(values));
    torch::IValue result;
    const double milliseconds = fastest([&] { result = network.forward(inputs); });
    std::vector<std::vector<double>> outputs;
    flatten(result, outputs);
    return report(sample.outputs, outputs, milliseconds);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
