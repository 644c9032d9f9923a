// Writes the two doors of the package once more as CommonJS, for runners that cannot `require` an ES module, such
// as Jest. Node never loads it: its condition `module-sync` leads `import` and `require` to the same ES modules, so that
// a process has one copy of everything. What is up to date is left alone, as in the build before it.
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.CommonJS,
  esModuleInterop: true,
}
const doors = ['index.js', 'testing/index.js']

mkdirSync('dist/cjs', { recursive: true })
const kind = join('dist/cjs', 'package.json')
if (!existsSync(kind)) writeFileSync(kind, '{ "type": "commonjs" }\n')

for (const file of reachedFrom(doors)) translate(file)
// Types import more files than programs do: those that hold nothing but types.
for (const file of reachedFrom(doors.map(toTypes))) copy(file)

function reachedFrom(entries) {
  const files = new Set(entries)
  // A set that grows while it is walked is walked to its end.
  for (const file of files) for (const imported of importsOf(file)) files.add(imported)
  return files
}

function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join('dist', file), 'utf8'))
  const ours = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'))
  const paths = ours.map((name) => normalize(join(dirname(file), name)))
  return file.endsWith('.d.ts') ? paths.map(toTypes) : paths
}

function toTypes(file) {
  return file.replace(/\.[jt]s$/, '.d.ts')
}

function translate(file) {
  const { source, target } = pathsOf(file)
  if (!isOlder(target, source)) return
  writeFileSync(target, ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions }).outputText)
}

function copy(file) {
  const { source, target } = pathsOf(file)
  if (isOlder(target, source)) copyFileSync(source, target)
}

function pathsOf(file) {
  const [source, target] = [join('dist', file), join('dist/cjs', file)]
  mkdirSync(dirname(target), { recursive: true })
  return { source, target }
}

function isOlder(target, source) {
  return !existsSync(target) || statSync(target).mtimeMs < statSync(source).mtimeMs
}
