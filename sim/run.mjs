import { spawnSync } from 'node:child_process'
import { buildSim } from './build-sim.mjs'

const file = await buildSim()
const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
