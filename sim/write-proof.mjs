// Writes docs/proof.md from the results of real runs. With --check it writes nothing, and fails if the page is not current.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeSummaries } from './proof/merge-summaries.mjs'
import { renderProof } from './proof/render-proof.mjs'

const root = join(import.meta.dirname, '..')
const results = join(root, 'sim/results')
const page = join(root, 'docs/proof.md')
const text = renderProof({
  seeds: mergeSummaries([read('seeds.json')]),
  long: readLong(),
  bugs: read('bugs.json'),
  finds: read('finds.json'),
  reality: readIfThere('reality.json'),
  peers: readIfThere('peers.json'),
})

if (!process.argv.includes('--check')) writeFileSync(page, text)
else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/proof.md is not what sim/results says. Run `npm run proof`.')
  process.exitCode = 1
}

function read(name) {
  return JSON.parse(readFileSync(join(results, name), 'utf8'))
}

function readIfThere(name) {
  return existsSync(join(results, name)) ? read(name) : undefined
}

/** All pieces of the long run together. */
function readLong() {
  const folder = join(results, 'long')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  return names.length === 0 ? undefined : mergeSummaries(names.map((name) => read(join('long', name))))
}
