// Adds up the test results in a directory and prints what failed and one line: "N passed, N failed".
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readTestCounts } from './read-test-counts.mjs'

const [directory] = process.argv.slice(2)
const runs = readdirSync(directory)
  .filter((name) => name.endsWith('.json'))
  .map((name) => readTestCounts(join(directory, name)))
const sum = (key) => runs.reduce((total, run) => total + run[key], 0)

for (const failure of runs.flatMap((run) => run.failures)) console.log(`✗ ${failure}`)
if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped`)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
