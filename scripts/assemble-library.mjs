// Makes the package of the library from what the compiler wrote: its code once, as CommonJS, so that every caller in a
// process has the same copy of it, Jest and NestJS by `require`, ES modules by a door that lists the names. Types are
// those that a door leads to. What is up to date is left alone: tests that run the built command are not disturbed by
// another run that builds.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, normalize, resolve } from 'node:path'
import ts from 'typescript'
import { trimTypes } from './trim-types.mjs'

const require = createRequire(import.meta.url)
const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.CommonJS,
  moduleDetection: ts.ModuleDetectionKind.Force,
  esModuleInterop: true,
  // Comments are for who reads the sources; the types keep theirs, which editors show.
  removeComments: true,
}

/** `from`: what the compiler wrote; `dist`: the package's; `doors`: the modules that users load; `programs`: those they run. */
export function assembleLibrary({ from, dist, doors, programs }) {
  const types = trimTypes({
    from: resolve(from),
    doors: doors.map((door) => `${door}.d.ts`),
    documented: ['index.d.ts', 'testing.d.ts'],
  })
  const code = reachedFrom(
    from,
    [...doors, ...programs].map((name) => `${name}.js`),
  )
  for (const name of code) translate(join(from, name), join(dist, 'cjs', name))
  for (const [name, text] of types) write(join(dist, 'cjs', name), text)
  write(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  for (const door of doors) writeDoor(dist, door)
  removeAllBut(join(dist, 'cjs'), new Set([...code, ...types.keys(), 'package.json']))
}

function filesIn(folder) {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
}

/** The modules that others load at run time, which leaves out those of nothing but types. */
function reachedFrom(from, entries) {
  const files = new Set(entries)
  // A set that grows while it is walked is walked to its end.
  for (const file of files) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(from, file), 'utf8'), true, true)
    for (const { fileName } of importedFiles)
      if (fileName.startsWith('.')) files.add(normalize(join(dirname(file), fileName)))
  }
  return files
}

function translate(source, target) {
  const madeOf = [source, import.meta.filename].map((file) => statSync(file).mtimeMs)
  if (existsSync(target) && statSync(target).mtimeMs >= Math.max(...madeOf)) return
  const text = requireByName(readFileSync(source, 'utf8'))
  write(target, indentByTabs(exportByValue(ts.transpileModule(text, { compilerOptions }).outputText)))
}

/**
 * The compiler is prepared for modules that load each other in a circle: names are there before their values, and what is
 * passed on is asked for each time. We have no such circle, and it would be a tenth of some files. Nor does a module of
 * ours have a default export that would need its mark.
 */
function exportByValue(code) {
  return code
    .replace('Object.defineProperty(exports, "__esModule", { value: true });\n', '')
    .replaceAll(/^exports\.\w+ = (?:exports\.\w+ = )*void 0;\n/gm, '')
    .replaceAll(
      /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return (\w+\.\w+); \} \}\);$/gm,
      'exports.$1 = $2;',
    )
}

/**
 * Names of our own modules stay as they are in the sources, `decide(…)` instead of the compiler's
 * `(0, decide_js_1.decide)(…)`: shorter, and easier to read for who follows a stack trace. It is safe because no modules
 * of ours import each other in a circle. Those of Node are left to the compiler, since tools replace what is in them.
 */
function requireByName(text) {
  const source = ts.createSourceFile('module.js', text, ts.ScriptTarget.ES2023)
  return source.statements.filter(isNamedImportOfOurs).reduceRight((changed, statement) => {
    const names = statement.importClause.namedBindings.elements.map(({ propertyName, name }) =>
      propertyName ? `${propertyName.text}: ${name.text}` : name.text,
    )
    const required = `const { ${names.join(', ')} } = require('${statement.moduleSpecifier.text}');`
    return changed.slice(0, statement.getStart(source)) + required + changed.slice(statement.end)
  }, text)
}

function isNamedImportOfOurs(statement) {
  return (
    ts.isImportDeclaration(statement) &&
    statement.moduleSpecifier.text.startsWith('.') &&
    statement.importClause?.namedBindings?.elements !== undefined &&
    statement.importClause.name === undefined
  )
}

/** The compiler indents by four spaces, which are three too many to download. */
function indentByTabs(text) {
  const literals = templatesIn(ts.createSourceFile('module.js', text, ts.ScriptTarget.ES2023))
  return text.replace(/^(?: {4})+/gm, (spaces, at) =>
    literals.some(({ pos, end }) => pos <= at && at < end) ? spaces : '\t'.repeat(spaces.length / 4),
  )
}

function templatesIn(node) {
  if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node]
  const found = []
  node.forEachChild((child) => void found.push(...templatesIn(child)))
  return found
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
