// Runs network.onnx with ONNX Runtime on the samples beside it and compares the outputs with PyTorch's.
//     network [FOLDER]     FOLDER has network.onnx and sample.txt (default: the project's folder)
// Exit status: 0 if the outputs are equal, 1 if they differ, 2 if it cannot run.
#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "sample.h"

// An input and its memory.
struct Input {
  std::vector<float> floats;
  std::vector<int64_t> integers;
  std::unique_ptr<bool[]> truths;
  Ort::Value value{nullptr};

  explicit Input(const Values& given) {
    const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    const size_t size = given.numbers.size(), rank = given.shape.size();
    const int64_t* shape = given.shape.data();
    if (given.type == "int64") {
      integers.assign(given.numbers.begin(), given.numbers.end());
      value = Ort::Value::CreateTensor<int64_t>(memory, integers.data(), size, shape, rank);
    } else if (given.type == "bool") {
      truths = std::make_unique<bool[]>(size);
      for (size_t i = 0; i < size; ++i) truths[i] = given.numbers[i] != 0;
      value = Ort::Value::CreateTensor<bool>(memory, truths.get(), size, shape, rank);
    } else {
      floats.assign(given.numbers.begin(), given.numbers.end());
      value = Ort::Value::CreateTensor<float>(memory, floats.data(), size, shape, rank);
    }
  }
};

std::vector<double> numbers_of(Ort::Value& value) {
  const auto facts = value.GetTensorTypeAndShapeInfo();
  const size_t size = facts.GetElementCount();
  switch (facts.GetElementType()) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return {value.GetTensorMutableData<float>(), value.GetTensorMutableData<float>() + size};
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return {value.GetTensorMutableData<int64_t>(), value.GetTensorMutableData<int64_t>() + size};
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
      return {value.GetTensorMutableData<bool>(), value.GetTensorMutableData<bool>() + size};
    default:
      throw std::runtime_error("an output is neither float32, int64 nor bool");
  }
}

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : PROJECT_FOLDER;
  try {
    const Sample sample = read_sample(folder + "/sample.txt");
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "network");
    const std::filesystem::path path(folder + "/network.onnx");
    Ort::Session session(env, path.c_str(), Ort::SessionOptions());
    std::vector<const char*> input_names, output_names;
    std::vector<Ort::Value> inputs;
    std::vector<std::unique_ptr<Input>> kept;
    for (const Values& given : sample.inputs) {
      kept.push_back(std::make_unique<Input>(given));
      inputs.push_back(std::move(kept.back()->value));
      input_names.push_back(given.name.c_str());
    }
    for (const Values& wanted : sample.outputs) output_names.push_back(wanted.name.c_str());
    std::vector<Ort::Value> results;
    const double milliseconds = fastest([&] {
      results = session.Run(Ort::RunOptions{nullptr}, input_names.data(), inputs.data(),
                            inputs.size(), output_names.data(), output_names.size());
    });
    std::vector<std::vector<double>> outputs;
    for (Ort::Value& value : results) outputs.push_back(numbers_of(value));
    return report(sample.outputs, outputs, milliseconds);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
