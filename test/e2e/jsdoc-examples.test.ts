import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'

/** Inside the repository, so that `import 'warrenmq'` finds the sources. */
const workplace = `.cache/jsdoc-${process.pid}`
const sources = resolve('packages/warrenmq/src')

afterAll(() => rmSync(workplace, { recursive: true, force: true }))

/** What every example may take for granted. */
const given = `
import type * as lib from 'warrenmq'
import { readFileSync } from 'node:fs'
import * as opentelemetry from '@opentelemetry/api'
import { z } from 'zod'
declare const warren: lib.Warren<'orders'>
declare const publisher: lib.Publisher
declare const consumer: lib.Consumer
declare const topology: lib.Topology<'orders'>
declare const save: lib.Handler
declare const schema: lib.StandardSchema
declare const clock: lib.Clock
declare const store: lib.DedupeStore
declare const claim: lib.DedupeClaim
declare const shop: lib.Warren<
  'orders',
  { OrderPlaced: { exchange: 'orders.events'; schema: lib.StandardSchema<{ id: number }, { id: number }> } }
>
`
const givenToServices = `
declare const channel: import('amqplib').ConfirmChannel
declare const broker: import('warrenmq/testing').EmbeddedBroker
`
const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8'))
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const doors = ['warrenmq', 'warrenmq/testing'].map((name) => ({ name, ...readDoor(name) }))
/** The door for tools is held to the same. */
const operations = readOperations()
const givenToOperations = `
declare const session: door.Session
declare const connection: door.AmqpConnection
declare const channel: door.AmqpChannel
declare const delivery: door.Delivery
declare const secret: door.Secret
declare const way: Parameters<door.WayLook['look']>[0]
declare const management: door.Management
declare const broker: door.Broker
declare const compiled: door.CompiledTopology
declare const live: door.LiveTopology
declare const plan: door.Plan
declare const proof: door.Proof
declare const receipt: lib.Receipt
declare const message: door.IncomingMessage
declare const headers: door.EncodedHeaders
declare const table: lib.FieldTable
declare const subject: door.FilterSubject
declare const types: door.TypeRoutes
declare const bytes: Buffer
declare const queue: string
declare const text: string
declare const value: unknown
type Endpoint = door.Endpoint
type FieldValue = lib.FieldValue
`

function readDoor(name: string) {
  const path = resolve(options.paths![name]![0]!)
  const program = ts.createProgram([path], options)
  const checker = program.getTypeChecker()
  const names = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)!)!)
  const original = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const values = names.filter((symbol) => original(symbol).flags & ts.SymbolFlags.Value).map(nameOf)
  return { checker, exported: names.map(original), values }
}

/** Without what `warrenmq` exports as well, which is looked at there. */
function readOperations() {
  const { exported, ...door } = readDoor('warrenmq/operations')
  const known = new Set(doors.flatMap((each) => each.exported).map(placeOf))
  return {
    name: 'warrenmq/operations',
    ...door,
    exported: exported.filter((each) => !known.has(placeOf(each))),
  }
}

function placeOf({ declarations: [first] = [] }: ts.Symbol): string {
  return `${first?.getSourceFile().fileName} ${first?.pos}`
}

function nameOf(symbol: ts.Symbol): string {
  return symbol.name
}

function exampleTagsOf(node: ts.Node): readonly string[] {
  return ts
    .getJSDocTags(node)
    .filter(({ tagName }) => tagName.text === 'example')
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
}

function examplesIn(node: ts.Node): readonly string[] {
  return exampleTagsOf(node).flatMap((text) =>
    [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? ''),
  )
}

it('every exported function has an example', () => {
  const silent = [...doors, operations].flatMap(({ exported }) =>
    exported.filter(({ declarations = [] }) =>
      declarations.some((each) => ts.isFunctionDeclaration(each) && examplesIn(each).length === 0),
    ),
  )

  expect(silent.map(nameOf)).toEqual([])
})

/** What others implement, and Warren or a layout calls. */
const isCalledByUs = /^(AmqplibChannel|TracingSpan|SettlingChannel|Layout|LiveIndex)$/

it('every method has an example', () => {
  const silent = [...doors, operations].flatMap(({ exported }) =>
    exported
      .filter(({ name }) => !isCalledByUs.test(name))
      .flatMap(({ name, declarations = [] }) =>
        declarations
          .flatMap(membersOf)
          .filter((each) => isMethodForUsers(each) && examplesIn(each).length === 0)
          .map((each) => `${name}.${each.name?.getText()}`),
      ),
  )

  expect(silent).toEqual([])
})

/** `await using` calls one that has a symbol for a name. */
function isMethodForUsers(node: ts.Declaration): boolean {
  if (!ts.isMethodDeclaration(node) && !ts.isMethodSignature(node)) return false
  if (ts.isComputedPropertyName(node.name)) return false
  if (ts.isMethodDeclaration(node) && node.body && isOverloaded(node)) return false
  return !ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')
}

it('every exported type, and every member of one, is described', () => {
  const silent = [...doors, operations].flatMap(({ exported }) =>
    exported.flatMap(({ name, declarations = [] }) =>
      declarations
        .flatMap((each) => [each, ...membersOf(each)])
        .filter((each) => !isDescribed(each))
        .map((each) => `${name}: ${each.getText().split('\n')[0]}`),
    ),
  )

  expect(silent).toEqual([])
})

/** Also a member that says by a word which of several it is, and those of an alternative that is described as a whole. */
function isDescribed(node: ts.Declaration): boolean {
  if (ts.getJSDocCommentsAndTags(node).length > 0) return true
  if (ts.isMethodDeclaration(node) && node.body && isOverloaded(node)) return true
  if (ts.isConstructorDeclaration(node) || ts.isIndexSignatureDeclaration(node)) return true
  if (ts.isPropertySignature(node) && node.name.getText() === 'kind') return true
  const { parent } = node
  if (!ts.isTypeLiteralNode(parent) || !ts.isUnionTypeNode(parent.parent)) return false
  return parent.members.length < 3 && textBefore(parent.parent, parent).includes('/**')
}

/** Its other forms are what users see. */
function isOverloaded({ name, parent }: ts.MethodDeclaration): boolean {
  if (!ts.isClassLike(parent)) return false
  return parent.members.filter((each) => each.name?.getText() === name.getText()).length > 1
}

/** What stands before an alternative: the comment about it, if there is one. */
function textBefore(union: ts.UnionTypeNode, alternative: ts.TypeNode): string {
  const previous = union.types[union.types.indexOf(alternative) - 1]
  const from = previous?.end ?? union.getFullStart()
  return union.getSourceFile().text.slice(from, alternative.getStart())
}

/** Those of an interface or a class, and of each alternative of a type. */
function membersOf(node: ts.Node): readonly (ts.ClassElement | ts.TypeElement)[] {
  if (ts.isTypeAliasDeclaration(node)) return membersOf(node.type)
  if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) return node.types.flatMap(membersOf)
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node) && !ts.isTypeLiteralNode(node))
    return []
  return [...node.members].filter(({ name }) => !name || isForUsers(name))
}

function isForUsers(name: ts.PropertyName): boolean {
  return !ts.isPrivateIdentifier(name) && name.getText() !== '[isTyped]'
}

/** What users write: options, declarations, requests, messages. */
const isWritten =
  /(?<!^Span)Options$|((?<!^(ManagedQueue|Shared))Settings|Declaration|Choice|(?<!^Noted)Request)$|^(Asker|Acceptance|OutgoingMessage|BackoffPolicy|BreakerPolicy)$/
const typeArguments: Readonly<Record<string, string>> = { ConnectOptions: "<'orders'>" }

interface Option {
  readonly type: string
  readonly name: string
  readonly examples: readonly string[]
}

function optionsOf({ checker, exported }: (typeof doors)[number]): readonly Option[] {
  return exported
    .filter(({ name }) => isWritten.test(name))
    .flatMap((symbol) =>
      checker
        .getDeclaredTypeOfSymbol(symbol)
        .getProperties()
        .map((property) => ({ symbol, property })),
    )
    .flatMap(({ symbol, property }) =>
      (property.declarations ?? [])
        .filter((each) => each.getSourceFile().fileName.startsWith(sources))
        .map((each) => ({ type: symbol.name, name: property.name, examples: optionExamples(each) })),
    )
}

/** An object with the option; of a request the value alone, because a JSON Schema is made from it. */
function optionExamples(node: ts.Declaration): readonly string[] {
  const isOfRequest = node.getSourceFile().fileName.endsWith('/requests.ts')
  const { name, type } = node as ts.PropertySignature
  const isText = /string|'|Duration/.test(
    type?.getText().replace(/^(Readonly<.*>|readonly .*\[\])$/, '') ?? '',
  )
  return exampleTagsOf(node).map((text) =>
    isOfRequest ? `{ ${name.getText()}: ${isText ? JSON.stringify(text) : text} }` : text,
  )
}

it('every option has an example, which shows it', () => {
  const silent = [...doors, operations]
    .flatMap(optionsOf)
    .filter(({ name, examples }) => !examples.some((text) => text.includes(name)))

  expect(silent.map(({ type, name }) => `${type}.${name}`)).toEqual([])
})

it('every example in the JSDoc of the doors has the types that it needs', () => {
  const examples = [...doors, operations].flatMap((door) => {
    const surroundings = given + (door === operations ? givenToOperations : givenToServices)
    const imports = `import { ${door.values.join(', ')} } from '${door.name}'${surroundings}`
    const ofFunctions = door.exported.flatMap(({ declarations = [] }) =>
      declarations.flatMap((each) => [each, ...membersOf(each)].flatMap(examplesIn)),
    )
    const ofOptions = optionsOf(door).flatMap(({ type, examples: texts }) =>
      texts.map((text) => `const example: Partial<door.${type}${typeArguments[type] ?? ''}> = ${text}`),
    )
    const all = [...ofFunctions, ...ofOptions].map((code) => `{\n${code}\n}\n`)
    return all.map((code) => `import type * as door from '${door.name}'\n${imports}${code}`)
  })
  mkdirSync(workplace, { recursive: true })
  const files = examples.map((code, index) => {
    const file = `${workplace}/example-${index}.ts`
    writeFileSync(file, code)
    return file
  })
  const lenient = { ...options, noUnusedLocals: false, verbatimModuleSyntax: false, rootDir: resolve('.') }
  const program = ts.createProgram(files, lenient)

  const problems = files.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))

  expect(examples.length).toBeGreaterThan(300)
  expect(
    problems.map(({ messageText, file }) => [
      ts.flattenDiagnosticMessageText(messageText, ' '),
      file?.text.split('{\n').at(-1),
    ]),
  ).toEqual([])
})
