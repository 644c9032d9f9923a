// Makes the package of the library from what the compiler wrote: its code once, as CommonJS, so that every caller in a
// process has the same copy of it. Jest and NestJS load it with `require`, ES modules through a door that lists the names.
// Types are those that a door leads to. A file that would not change is not written: tests that run the built command are
// not disturbed when somebody builds beside them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { besideTheRows, leaves, rows } from './library-rooms.mjs'
import { trimTypes } from './trim-types.mjs'

const require = createRequire(import.meta.url)

/** `from`: what the compiler wrote; `dist`: the package's; `doors`: the modules that users load; `programs`: those they run. */
export async function assembleLibrary({ from, dist, doors, programs }) {
  const types = trimTypes({ from: resolve(from), doors: doors.map((door) => `${door}.d.ts`) })
  const code = await bundleRooms(resolve(from), [...doors, ...programs])
  for (const [name, text] of [...code, ...types]) write(join(dist, 'cjs', name), text)
  write(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  removeAllBut(join(dist, 'cjs'), new Set([...code.keys(), ...types.keys(), 'package.json']))
  for (const door of doors) writeDoor(dist, door)
}

/**
 * One file per folder of the library, named after it: small to download, quick to load, and a door loads only the folders
 * it needs. Nothing is minified, and a function that had to be renamed beside its namesake keeps its name at run time, so
 * a stack trace reads as the sources do. Modules of Node are asked for their functions at every call, because tools
 * replace those functions.
 */
async function bundleRooms(from, entries) {
  const bundle = await rolldown({
    cwd: from,
    input: entries.map((name) => `./${name}.js`),
    platform: 'node',
    onLog: refuseWarnings,
  })
  const { output } = await bundle.generate({
    format: 'cjs',
    // ES modules are strict by themselves; what they become has to say so.
    strict: true,
    chunkFileNames: '[name].js',
    codeSplitting: { groups: roomGroups(from) },
    esModule: false,
    generatedCode: { symbols: false },
    keepNames: true,
    minifyInternalExports: false,
    // Comments are for readers of the sources. The types keep theirs, because editors show them.
    comments: false,
  })
  await bundle.close()
  return new Map(output.map(({ fileName, code }) => [fileName, code]))
}

/** A group also takes what its modules import, unless a group before it has it: hence the order of the imports. */
function roomGroups(from) {
  const leafPaths = leaves.map((name) => join(from, `${name}.js`))
  const rooms = [...rows.flat(), ...Object.keys(besideTheRows)].map((name) => ({
    name,
    test: (id) => id.startsWith(join(from, name, '/')),
  }))
  const groups = [{ name: 'leaves', test: (id) => leafPaths.includes(id) }, ...rooms]
  return groups.map((group, index) => ({ ...group, priority: groups.length - index }))
}

function refuseWarnings(level, { message }) {
  if (level === 'warn') throw new Error(message)
}

function filesIn(folder) {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
}

/** The names are listed, so that `import { … }` finds them whatever a loader can read out of CommonJS. */
function writeDoor(dist, door) {
  const names = Object.keys(require(resolve(dist, 'cjs', `${door}.js`))).toSorted()
  const list = names.map((name) => `  ${name},\n`).join('')
  write(join(dist, `${door}.js`), `import door from './cjs/${door}.js'\n\nexport const {\n${list}} = door\n`)
  write(join(dist, `${door}.d.ts`), `export * from './cjs/${door}.js'\n`)
}

function write(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function removeAllBut(folder, wanted) {
  for (const name of filesIn(folder))
    if (!wanted.has(name) && statSync(join(folder, name)).isFile()) rmSync(join(folder, name))
}
