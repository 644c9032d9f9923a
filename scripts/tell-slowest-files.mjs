// Prints which files took longest in each of the test runs whose results are in a directory.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readSlowestFiles } from './read-slowest-files.mjs'

const [directory] = process.argv.slice(2)
const filesToTell = 15

for (const name of readdirSync(directory).filter((file) => file.endsWith('.json'))) {
  console.log(`\n=== slowest files of ${name.replace('.json', '')}`)
  for (const { file, seconds } of readSlowestFiles(join(directory, name), filesToTell)) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  }
}
