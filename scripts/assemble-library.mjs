// Makes the package of the library from what the compiler wrote: its code once, as CommonJS, so that every caller in a
// process has the same copy of it, Jest and NestJS by `require`, ES modules by a door that lists the names. Types are
// those that a door leads to. What is up to date is left alone: tests that run the built command are not disturbed by
// another run that builds.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, normalize, resolve } from 'node:path'
import ts from 'typescript'

const require = createRequire(import.meta.url)
const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.CommonJS,
  esModuleInterop: true,
  // Comments are for who reads the sources; the types keep theirs, which editors show.
  removeComments: true,
}

/** `from`: what the compiler wrote; `dist`: the package's; `doors`: the modules that users load. */
export function assembleLibrary({ from, dist, doors }) {
  const types = reachedFrom(
    from,
    doors.map((door) => `${door}.d.ts`),
  )
  const code = filesIn(from).filter((name) => name.endsWith('.js'))
  for (const name of code) translate(join(from, name), join(dist, 'cjs', name))
  for (const name of types) write(join(dist, 'cjs', name), readFileSync(join(from, name), 'utf8'))
  write(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  for (const door of doors) writeDoor(dist, door)
  removeAllBut(join(dist, 'cjs'), new Set([...code, ...types, 'package.json']))
}

function filesIn(folder) {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
}

function reachedFrom(from, entries) {
  const files = new Set(entries)
  // A set that grows while it is walked is walked to its end.
  for (const file of files) for (const imported of typesImportedBy(from, file)) files.add(imported)
  return files
}

function typesImportedBy(from, file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(from, file), 'utf8'))
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)).replace(/\.[jt]s$/, '.d.ts'))
}

function translate(source, target) {
  if (existsSync(target) && statSync(target).mtimeMs >= statSync(source).mtimeMs) return
  write(target, ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions }).outputText)
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
