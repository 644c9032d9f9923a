import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'

/** Inside the repository, so that `import 'warrenmq'` finds the sources. */
const workplace = `.cache/jsdoc-${process.pid}`

afterAll(() => rmSync(workplace, { recursive: true, force: true }))

/** What every example may take for granted. */
const given = `
import type * as lib from 'warrenmq'
declare const warren: lib.Warren<'orders'>
declare const publisher: lib.Publisher
declare const consumer: lib.Consumer
declare const topology: lib.Topology<'orders'>
declare const save: lib.Handler
declare const schema: lib.StandardSchema
declare const channel: import('amqplib').ConfirmChannel
`
const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8'))
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const doors = ['warrenmq', 'warrenmq/testing'].map((name) => ({ name, ...readDoor(name) }))

function readDoor(name: string) {
  const path = resolve(options.paths![name]![0]!)
  const program = ts.createProgram([path], options)
  const checker = program.getTypeChecker()
  const exported = checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)!)!)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
  return { exported, values: exported.filter(({ flags }) => flags & ts.SymbolFlags.Value).map(nameOf) }
}

function nameOf(symbol: ts.Symbol): string {
  return symbol.name
}

function examplesIn(node: ts.Node): readonly string[] {
  const tags = ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === 'example')
  const texts = tags.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
  return texts.flatMap((text) => [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? ''))
}

it('every exported function has an example', () => {
  const silent = doors.flatMap(({ exported }) =>
    exported.filter(({ declarations = [] }) =>
      declarations.some((each) => ts.isFunctionDeclaration(each) && examplesIn(each).length === 0),
    ),
  )

  expect(silent.map(nameOf)).toEqual([])
})

/** What users write and read most: options, declarations, messages, and what they get from `connect`. */
const isForUsers =
  /(Options|Settings|Declaration|Events)$|^(ConsumedMessage|OutgoingMessage|HandlerContext|Warren|Consumer|Publisher|EmbeddedBroker)$/

it('every option, and every member of what users work with, is described', () => {
  const silent = doors.flatMap(({ exported }) =>
    exported
      .filter(({ name }) => isForUsers.test(name))
      .flatMap(({ name, declarations = [] }) =>
        declarations
          .flatMap(membersOf)
          .filter((member) => ts.getJSDocCommentsAndTags(member).length === 0)
          .map((member) => `${name}.${member.name?.getText() ?? 'constructor'}`),
      ),
  )

  expect(silent).toEqual([])
})

function membersOf(node: ts.Node): readonly (ts.ClassElement | ts.TypeElement)[] {
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return []
  return [...node.members].filter(({ name }) => !name || !ts.isPrivateIdentifier(name))
}

it('every example in the JSDoc of the doors has the types that it needs', () => {
  const examples = doors.flatMap(({ name, exported, values }) =>
    exported.flatMap(({ declarations = [] }) =>
      declarations.flatMap((each) => {
        const imports = `import { ${values.join(', ')} } from '${name}'`
        return [each, ...membersOf(each)]
          .flatMap(examplesIn)
          .map((code) => `${imports}${given}{\n${code}\n}\n`)
      }),
    ),
  )
  mkdirSync(workplace, { recursive: true })
  const files = examples.map((code, index) => {
    const file = `${workplace}/example-${index}.ts`
    writeFileSync(file, code)
    return file
  })
  const lenient = { ...options, noUnusedLocals: false, verbatimModuleSyntax: false, rootDir: resolve('.') }
  const program = ts.createProgram(files, lenient)

  const problems = files.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))

  expect(examples.length).toBeGreaterThan(25)
  expect(
    problems.map(({ messageText, file }) => [
      ts.flattenDiagnosticMessageText(messageText, ' '),
      file?.text.split('{\n').at(-1),
    ]),
  ).toEqual([])
})
