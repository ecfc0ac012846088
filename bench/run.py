#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The one entry to the benchmarks; --help says what there is."""
import sys

from harness import main

sys.exit(main.main())
