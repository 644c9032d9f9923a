// Writes down what a door of the library exports, as its built declarations have it, so that a reviewer sees every
// change of the public API in the diff.
import ts from 'typescript'
import { readDoor } from './read-door.mjs'

const printer = ts.createPrinter({ removeComments: true })

/** `name`: what users import; `path`: the built declarations of that door. */
export function renderApiReport({ name, path }) {
  const { exported, checker } = readDoor(path)
  const head = [
    `# What \`${name}\` exports`,
    'Made from the built declarations by `npm run generate`. Look at its diff before you change the public API; what each name is for stands in',
    'the JSDoc, and in the pages that `npm run api-reference` makes of it.',
  ]
  const sections = exported.map(({ name: exportedName, declarations }) => {
    const text = declarations.map((each) => printDeclaration(each, checker)).join('\n\n')
    return `## ${exportedName}\n\n\`\`\`typescript\n${text}\n\`\`\``
  })
  return `${[head[0], head.slice(1).join('\n'), ...sections].join('\n\n')}\n`
}

function printDeclaration(declaration, checker) {
  if (ts.isTypeAliasDeclaration(declaration) && isMadeFromValues(declaration))
    return spellOut(declaration, checker)
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile())
  return text
    .replace(/^export (declare )?/, '')
    .replace(/^ {4}#private;\n/m, '')
    .replace(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2))
}

/** `(typeof names)[number]` would hide a name that comes or goes. */
function isMadeFromValues(declaration) {
  let isMade = false
  const visit = (node) => {
    isMade ||= ts.isTypeQueryNode(node)
    ts.forEachChild(node, visit)
  }
  visit(declaration.type)
  return isMade
}

function spellOut(declaration, checker) {
  const flags = ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.NoTruncation
  const type = checker.typeToString(checker.getTypeAtLocation(declaration), undefined, flags)
  return `type ${declaration.name.text} = ${type};`
}
