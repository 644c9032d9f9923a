// Adds up the test results in a directory and prints what failed, and last of all one line: "N passed, N failed".
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTestCounts } from './read-test-counts.mjs'

const [directory] = process.argv.slice(2)
const filesOf = (ending) => readdirSync(directory).filter((name) => name.endsWith(ending))
const runs = filesOf('.json').map((name) => ({
  run: name.replace('.json', ''),
  ...readTestCounts(join(directory, name)),
}))
const sum = (key) => runs.reduce((total, run) => total + run[key], 0)

for (const { run, failures } of runs) for (const failure of failures) console.log(`✗ ${run}: ${failure}`)
tellLines('.stray-errors', (run, line) => `✗ ${run}: outside of any test: ${line}`)
tellLines('.second-tries', (run, line) => `passed at the second try on ${run}: ${line}`)
if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped`)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)

function tellLines(ending, tell) {
  for (const name of filesOf(ending)) {
    const lines = readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean)
    for (const line of lines) console.log(tell(name.replace(ending, ''), line))
  }
}
