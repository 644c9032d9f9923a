// A long run in pieces: each writes a document of its own, and one that is there is not run again. So it can be stopped at
// any time, and begun again later, also on another commit. `npm run proof` adds up all documents in the folder.
// npm run -s sim:long -- [--seeds 1-100000] [--piece 1000] [--workers 1] [--minutes 60] [--out sim/results/long]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSim } from './build-sim.mjs'
import { readCommit } from './commit.mjs'
import { nodeOptions } from './node-options.mjs'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-100000' },
    piece: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, 'results/long') },
  },
})
const [first, last] = values.seeds.split('-').map(Number)
const size = Number(values.piece)
const endAt = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + values.minutes * 60_000
const commit = readCommit()
const file = await buildSim({ name: `long-${commit}` })
mkdirSync(values.out, { recursive: true })

for (let from = first; from <= last && Date.now() < endAt; from += size) {
  const to = Math.min(last, from + size - 1)
  const document = join(values.out, `${String(from).padStart(7, '0')}-${String(to).padStart(7, '0')}.json`)
  if (!existsSync(document)) runPiece(`${from}-${to}`, document)
}

/** Each seed runs once, on one version, and the next one on the next. */
function runPiece(seeds, document) {
  const how = [
    '--seeds',
    seeds,
    '--rotate',
    '--once',
    '--no-shrink',
    '--summary',
    '--workers',
    values.workers,
  ]
  const env = { ...process.env, SIM_COMMIT: commit }
  const { stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, file, ...how], {
    encoding: 'utf8',
    env,
    maxBuffer: 2 ** 30,
  })
  if (stdout === '') throw new Error(`seeds ${seeds}: the simulation does not run: ${stderr}`)
  writeFileSync(`${document}.part`, stdout)
  renameSync(`${document}.part`, document)
  const { violations, runs, tookSeconds } = JSON.parse(stdout)
  const broken = violations.map(({ seed, profile, rule }) => `${seed}/${profile} ${rule}`)
  console.log(`seeds ${seeds}: ${runs} runs in ${tookSeconds} s, ${broken.join(', ') || 'all promises kept'}`)
}
