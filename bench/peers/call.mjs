// SPDX-License-Identifier: Apache-2.0
// node call.mjs FILE.wasm FUNCTION REPEAT ARGS...: V8's side of an engine comparison. Warms up until the optimising tier has the
// code, then prints the same line as `weir run --invoke FUNCTION --repeat REPEAT`.
import { readFileSync } from 'node:fs';

const [file, name, repeat, ...rest] = process.argv.slice(2);
const calls = Number(repeat);
const { instance } = await WebAssembly.instantiate(readFileSync(file), {});
const call = instance.exports[name];
const args = rest.map(Number);
const once = () => {
  const start = process.hrtime.bigint();
  call(...args);
  return Number(process.hrtime.bigint() - start) / 1e6;
};
const warm_until = process.hrtime.bigint() + 1_500_000_000n;
while (process.hrtime.bigint() < warm_until) once();
const times = Array.from({ length: calls }, once).sort((a, b) => a - b);
console.log(call(...args));
console.log(`min ${times[0].toFixed(4)} ms, median ${times[calls >> 1].toFixed(4)} ms over ${calls} calls`);
