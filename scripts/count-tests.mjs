// Adds up the test results in a directory and prints which files took longest in each run, what failed, and last of all
// one line: "N passed, N failed".
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSlowestFiles } from './read-slowest-files.mjs'
import { readTestCounts } from './read-test-counts.mjs'

const [directory] = process.argv.slice(2)
const filesOf = (ending) => readdirSync(directory).filter((name) => name.endsWith(ending))
const filesToTell = 15
const runs = filesOf('.json').map((name) => readTestCounts(join(directory, name)))
const sum = (key) => runs.reduce((total, run) => total + run[key], 0)

for (const name of filesOf('.json')) {
  console.log(`\n=== slowest files of ${name.replace('.json', '')}`)
  for (const { file, seconds } of readSlowestFiles(join(directory, name), filesToTell)) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  }
}
console.log('')
for (const failure of runs.flatMap((run) => run.failures)) console.log(`✗ ${failure}`)
for (const name of filesOf('.second-tries')) {
  for (const line of readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean)) {
    console.log(`passed at the second try on ${name.replace('.second-tries', '')}: ${line}`)
  }
}
if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped`)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
