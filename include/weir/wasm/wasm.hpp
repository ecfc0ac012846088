// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything of weir::wasm.
#include <weir/wasm/caller.hpp>
#include <weir/wasm/engine.hpp>
#include <weir/wasm/error.hpp>
#include <weir/wasm/extern.hpp>
#include <weir/wasm/func.hpp>
#include <weir/wasm/global.hpp>
#include <weir/wasm/instance.hpp>
#include <weir/wasm/linker.hpp>
#include <weir/wasm/memory.hpp>
#include <weir/wasm/module.hpp>
#include <weir/wasm/store.hpp>
#include <weir/wasm/table.hpp>
#include <weir/wasm/tag.hpp>
#include <weir/wasm/types.hpp>
#include <weir/wasm/value.hpp>
