// SPDX-License-Identifier: Apache-2.0
#include <weir/check/run_models.hpp>

int main(int argc, char** argv) { return weir::check::run_models(argc, argv); }
