import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// npm run example 3: runs the folder that begins with the number.
const wanted = process.argv[2]
const folders = readdirSync(import.meta.dirname).filter((name) => /^\d-/.test(name))
const folder = folders.find((name) => wanted !== undefined && name.startsWith(`${wanted}-`))

if (folder === undefined) {
  console.error(`Say which one: ${folders.map((name) => `npm run example ${name[0]} (${name})`).join(', ')}.`)
  process.exitCode = 2
} else {
  await import(pathToFileURL(join(import.meta.dirname, folder, 'run.ts')).href)
}
