// Room for young objects, so that few of them grow old: almost all that a run makes is over when it is.
const memory = ['--max-semi-space-size=32', '--min-semi-space-size=16']

// A run does a little of everything: the optimizing compiler would take a quarter of the processor for functions that
// hardly pay it back, so it gets only the hottest. Later Nodes have a compiler in between, and not these options.
const compiler = process.version.startsWith('v20.')
  ? ['--interrupt-budget=1000000', '--max-bytecode-size-for-early-opt=0']
  : []

/** How Node runs the simulation. */
export const nodeOptions = [...memory, ...compiler]
