// Plants one bug after the other and counts the seeds until the simulation finds it.
// npm run -s sim:bugs -- [--seeds 1-1000] [--match words] [--json]
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { plantedBugs } from './bugs/planted-bugs.mjs'
import { buildSim } from './build-sim.mjs'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-1000' },
    match: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})

/** Each seed runs on three versions. */
function mostRunsOf(seeds) {
  const [from, to = from] = seeds.split('-').map(Number)
  return 3 * (to - from + 1)
}

const table = []
for (const { name, also = [], ...patch } of plantedBugs) {
  if (!name.includes(values.match)) continue
  const file = await buildSim({ name: 'planted', patches: [patch, ...also] })
  const args = [file, '--seeds', values.seeds, '--once', '--first', '--no-shrink', '--workers', '2', '--json']
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (stdout === '') throw new Error(`${name}: the simulation does not run: ${stderr}`)
  const { runs } = JSON.parse(stdout)
  const found = runs.find(({ violations }) => violations.length > 0)
  table.push({
    name,
    runs: runs.length,
    seed: found?.seed,
    profile: found?.profile,
    rule: found?.violations[0].rule,
  })
  if (!values.json)
    console.log(
      found
        ? `found after ${String(runs.length).padStart(4)} runs (seed ${found.seed} on ${found.profile}, ${found.violations[0].rule}): ${name}`
        : `NOT FOUND in ${runs.length} runs: ${name}`,
    )
}
if (values.json)
  console.log(
    JSON.stringify(
      { planted: plantedBugs.length, mostRuns: mostRunsOf(values.seeds), bugs: table },
      undefined,
      2,
    ),
  )
else console.log(`${table.filter(({ seed }) => seed !== undefined).length} of ${table.length} found`)
process.exitCode = table.every(({ seed }) => seed !== undefined) ? 0 : 1
