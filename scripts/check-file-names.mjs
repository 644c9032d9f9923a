// A file exports something that is named after it: redrive-plan.ts a RedrivePlan, createRedrivePlan or redrivePlans.
//   node scripts/check-file-names.mjs
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'

const folders = ['packages/warrenmq/src', 'packages/cli/src', 'packages/console/src', 'packages/nestjs/src']
/** Doors and programs are named after what they are to who loads them. */
const doors = [
  'index.ts',
  'operations.ts',
  'testing.ts',
  'http-api/contract/contract.ts',
  'main.ts',
  'main.tsx',
  'moved.ts',
]

const misnamed = folders.flatMap(sourcesIn).filter((file) => !isNamedAfterExport(file))
for (const file of misnamed)
  console.error(`${file} exports nothing named after it: ${exportsOf(file).join(', ')}.`)
process.exitCode = misnamed.length > 0 ? 1 : 0

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.ts$/.test(name))
    .filter((name) => !doors.includes(name))
    .map((name) => join(folder, name))
    .toSorted()
}

/** The words of the file stand together in a name that it exports; the last may be in the plural, in either of them. */
function isNamedAfterExport(file) {
  const wanted = singular(plain(basename(file).replace(/\.tsx?$/, '')))
  return exportsOf(file).some((name) => plain(name).includes(wanted))
}

function plain(name) {
  return name.replaceAll(/[-_.]/g, '').toLowerCase()
}

function singular(name) {
  return name.replace(/ies$/, '').replace(/s$/, '')
}

function exportsOf(file) {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023)
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement))
      return statement.exportClause?.elements?.map(({ name }) => name.text) ?? []
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    return namesIn(statement)
  })
}

function namesIn(statement) {
  if (!ts.isVariableStatement(statement)) return [statement.name.text]
  return statement.declarationList.declarations.map(({ name }) => name.text ?? '')
}
