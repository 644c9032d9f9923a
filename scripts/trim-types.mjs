// Of the declarations that the compiler wrote, those that a user can come upon: what a door exports, and whatever that
// mentions. The rest would be downloaded by every service and read by nobody.
import { join } from 'node:path'
import ts from 'typescript'

/**
 * `from`: where the compiler wrote; `doors`: the files that users load. Gives the trimmed text of each file that is
 * needed.
 */
export function trimTypes({ from, doors }) {
  const program = ts.createProgram(
    doors.map((door) => join(from, door)),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, noEmit: true, types: ['node'] },
  )
  const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(from))
  const needed = findNeeded(program.getTypeChecker(), ours, new Set(doors.map((door) => join(from, door))))
  return new Map(
    ours
      .filter((file) => file.statements.some((statement) => needed.has(statement)))
      .map((file) => [file.fileName.slice(from.length + 1), textOf(file, needed)]),
  )
}

/** What a door leads to: statements, and of an import the names that are used. */
function findNeeded(checker, ours, doors) {
  const statements = ours.filter(({ fileName }) => doors.has(fileName)).flatMap((file) => file.statements)
  const needed = new Set(statements)
  // A set that grows while it is walked is walked to its end.
  for (const part of needed) if (!ts.isImportDeclaration(part)) forEachSymbol(checker, part, need)
  return needed

  function need(symbol) {
    for (const declaration of symbol.declarations ?? []) {
      const statement = ts.findAncestor(declaration, ({ parent }) => parent && ts.isSourceFile(parent))
      if (!statement || !ours.includes(statement.parent)) continue
      needed.add(statement)
      if (ts.isImportSpecifier(declaration)) needed.add(declaration)
    }
  }
}

function forEachSymbol(checker, node, tell) {
  node.forEachChild((child) => forEachSymbol(checker, child, tell))
  let symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
  // An import is needed as well as what it leads to, and every module that passes it on.
  for (; symbol; symbol = isAlias(symbol) ? checker.getImmediateAliasedSymbol(symbol) : undefined)
    tell(symbol)
}

function isAlias({ flags }) {
  return (flags & ts.SymbolFlags.Alias) !== 0
}

function textOf(file, needed) {
  const kept = file.statements.filter((statement) => needed.has(statement))
  const text = kept.map((statement) => textOfStatement(statement, needed)).join('\n')
  // With tabs, as the code has them: they take less room.
  return `${text.replaceAll(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4))}\n`
}

function textOfStatement(statement, needed) {
  const names = ts.isImportDeclaration(statement) && statement.importClause?.namedBindings?.elements
  if (!names) return statement.getFullText().trim()
  const used = names.filter((name) => needed.has(name)).map((name) => name.getText())
  const kind = statement.importClause.isTypeOnly ? 'import type' : 'import'
  return `${kind} { ${used.join(', ')} } from ${statement.moduleSpecifier.getText()};`
}
