import { spawnSync } from 'node:child_process'
import { buildSim } from './build-sim.mjs'
import { readCommit } from './commit.mjs'

// Room for young objects, so that few of them grow old: almost all that a run makes is over when it is.
const memory = ['--max-semi-space-size=32', '--min-semi-space-size=16']

// A run does a little of everything: the optimizing compiler would take a quarter of the processor for functions that
// hardly pay it back, so it gets only the hottest. Later Nodes have a compiler in between, and not these options.
const compiler = process.version.startsWith('v20.')
  ? ['--interrupt-budget=1000000', '--max-bytecode-size-for-early-opt=0']
  : []

const file = await buildSim()
const env = { ...process.env, SIM_COMMIT: readCommit() }
const { status } = spawnSync(process.execPath, [...memory, ...compiler, file, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env,
})
process.exit(status ?? 1)
