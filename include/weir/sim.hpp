// SPDX-License-Identifier: Apache-2.0
#pragma once

// Deterministic simulation of programs on weir. For programs that are linked with weir::sim in the place of weir::core.
#include <weir/sim/run.hpp>
#include <weir/sim/scenario.hpp>
#include <weir/sim/search.hpp>
