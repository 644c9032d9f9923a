import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../../bench/participants')

/** What a participant takes from the packages. They are plain JavaScript, and the compiler does not read them. */
function importsOf(file: string) {
  const { statements } = ts.createSourceFile(
    file,
    readFileSync(join(folder, file), 'utf8'),
    ts.ScriptTarget.ES2023,
  )
  return statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier, importClause }) => {
    const from = (moduleSpecifier as ts.StringLiteral).text
    const bindings = importClause?.namedBindings
    if (!from.startsWith('warrenmq') || !bindings || !ts.isNamedImports(bindings)) return []
    return bindings.elements.map(({ name, propertyName }) => ({ from, name: (propertyName ?? name).text }))
  })
}

test.each(readdirSync(folder))('%s takes only what the packages export', async (file) => {
  for (const { from, name } of importsOf(file)) expect(Object.keys(await import(from))).toContain(name)
})
