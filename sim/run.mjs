import { spawnSync } from 'node:child_process'
import { buildSim } from './build-sim.mjs'
import { readCommit } from './commit.mjs'
import { nodeOptions } from './node-options.mjs'

const file = await buildSim()
const env = { ...process.env, SIM_COMMIT: readCommit() }
const { status } = spawnSync(process.execPath, [...nodeOptions, file, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env,
})
process.exit(status ?? 1)
