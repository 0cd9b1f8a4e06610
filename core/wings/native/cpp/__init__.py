"""C++ projects around a network: CMake, a program, the network, samples and expected outputs."""
