// Plants one bug after the other and counts the seeds until the simulation finds it. The first round gives each bug a
// few seeds, and those that were not found get more.
// npm run -s sim:bugs -- [--seeds 1000] [--match words] [--workers 2] [--json] [--out file]
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { plantedBugs } from './bugs/planted-bugs.mjs'
import { buildSim } from './build-sim.mjs'
import { readCommit } from './commit.mjs'
import { nodeOptions } from './node-options.mjs'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    match: { type: 'string', default: '' },
    workers: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
})
const most = Number(values.seeds)
const commit = readCommit()
const rounds = [30, 100, 300, 1000, most].filter(
  (seeds, at, all) => seeds <= most && all.indexOf(seeds) === at,
)
const bugs = plantedBugs
  .filter(({ name }) => name.includes(values.match))
  .map((bug) => ({ bug, tried: 0, found: undefined }))

for (const round of rounds) for (const each of bugs) if (!each.found) await hunt(each, round)

const missed = bugs.filter(({ found }) => !found)
if (values.json) console.log(render())
else console.log(`${bugs.length - missed.length} of ${bugs.length} found`)
process.exitCode = missed.length === 0 ? 0 : 1

/** Runs the seeds that it has not had yet. Each runs on one version, so that many different ones are tried. */
async function hunt(each, round) {
  const { name, also = [], ...patch } = each.bug
  const file = await buildSim({ name: `planted-${process.pid}`, patches: [patch, ...also] })
  const seeds = `${each.tried + 1}-${round}`
  const how = ['--rotate', '--once', '--first', '--no-shrink', '--workers', values.workers, '--json']
  const { stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, file, '--seeds', seeds, ...how], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  if (stdout === '') throw new Error(`${name}: the simulation does not run: ${stderr}`)
  each.found = JSON.parse(stdout).runs.find(({ violations }) => violations.length > 0)
  each.tried = each.found?.seed ?? round
  if (!values.json) console.log(describe(each))
  if (values.out) writeFileSync(values.out, `${render()}\n`)
}

function describe({ bug, tried, found }) {
  if (!found) return `NOT FOUND in ${tried} seeds: ${bug.name}`
  return `found by seed ${String(tried).padStart(4)} on ${found.profile}, ${found.violations[0].rule}: ${bug.name}`
}

function render() {
  const table = bugs
    .filter(({ tried }) => tried > 0)
    .map(({ bug, tried, found }) => ({
      name: bug.name,
      seeds: tried,
      profile: found?.profile,
      rule: found?.violations[0].rule,
      commit,
    }))
  return JSON.stringify({ planted: plantedBugs.length, bugs: keepOthers(table) }, undefined, 2)
}

/** Bugs that this run did not try stay in the document as they were, each with its commit. */
function keepOthers(table) {
  const known = values.out && existsSync(values.out) ? JSON.parse(readFileSync(values.out, 'utf8')).bugs : []
  return plantedBugs.flatMap(({ name }) => [...table, ...known].find((each) => each.name === name) ?? [])
}
