// Reads what users see of a door of the library: its built declarations, as TypeScript shows them to who imports it.
import { resolve } from 'node:path'
import ts from 'typescript'

const options = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  types: ['node'],
  strict: true,
}

/**
 * `exported`: name and declarations of everything the door exports, sorted by name; `unexported`: the library's own
 * types that an exported declaration mentions, directly or through others, and that nobody can import from this door
 * or from `beside`, a door that its users have open anyway.
 */
export function readDoor(path, { beside } = {}) {
  const program = ts.createProgram(beside ? [path, beside] : [path], options)
  const checker = program.getTypeChecker()
  const exported = listExported(path, { program, checker })
  const known = [exported, beside ? listExported(beside, { program, checker }) : []].flat()
  return {
    exported,
    unexported: listUnexported({ checker, exported, known, folder: folderOf(path) }),
    checker,
  }
}

function listExported(path, { program, checker }) {
  const door = checker.getSymbolAtLocation(program.getSourceFile(path))
  if (!door) throw new Error(`${path} exports nothing. Build first: npm run build`)
  return checker
    .getExportsOfModule(door)
    .map((symbol) => ({ name: symbol.name, symbol: original(checker, symbol) }))
    .map(({ name, symbol }) => ({ name, symbol, declarations: symbol.declarations ?? [] }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function original(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function folderOf(path) {
  return resolve(path, '..')
}

function listUnexported({ checker, exported, known: importable, folder }) {
  const known = new Set(importable.map(({ symbol }) => symbol))
  const missing = []
  const visit = (node, mentionedBy) => {
    const picked = membersPicked(node, checker)
    if (picked) {
      for (const member of picked) visit(member, mentionedBy)
      return
    }
    const name = nameMentioned(node)
    const symbol = name && checker.getSymbolAtLocation(name)
    if (symbol) note(original(checker, symbol), mentionedBy)
    ts.forEachChild(node, (child) => visit(child, mentionedBy))
  }
  const note = (symbol, mentionedBy) => {
    const declarations = symbol.declarations ?? []
    const isOurs = declarations.some((each) => isTopLevelIn(each, folder))
    if (!isOurs || known.has(symbol)) return
    known.add(symbol)
    if (!declarations.every(isStepOfType)) missing.push(`${symbol.name} (mentioned by ${mentionedBy})`)
    for (const each of declarations) visit(each, symbol.name)
  }
  for (const { name, declarations } of exported) for (const each of declarations) visit(each, name)
  return missing
}

/** A conditional type that its module keeps to itself is a step in working out another type: nobody has to name it. */
function isStepOfType(declaration) {
  const isPrivate = !(ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export)
  return isPrivate && ts.isTypeAliasDeclaration(declaration) && ts.isConditionalTypeNode(declaration.type)
}

/** Not what a declaration has of its own: its type parameters and its members. */
function isTopLevelIn(declaration, folder) {
  const file = declaration.getSourceFile()
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  return statement.parent === file && resolve(file.fileName).startsWith(folder)
}

/** `Pick<Type, 'a' | 'b'>` shows two members, not the type that they are taken from. */
function membersPicked(node, checker) {
  const name = nameMentioned(node)
  if (name?.getText() !== 'Pick') return undefined
  const type = checker.getTypeFromTypeNode(node)
  return type.getProperties().flatMap((property) => property.declarations ?? [])
}

function nameMentioned(node) {
  if (ts.isTypeReferenceNode(node)) return lastNameOf(node.typeName)
  if (ts.isExpressionWithTypeArguments(node)) return node.expression
  return undefined
}

function lastNameOf(name) {
  return ts.isQualifiedName(name) ? name.right : name
}
