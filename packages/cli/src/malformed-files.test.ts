import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Receipt } from 'warrenmq'
import { runCliHere } from '../../../test/support/run-cli-here.ts'
import { packBlock } from '../../warrenmq/src/recovery/backup/blocks.ts'

/** Nobody listens there, so whatever is sound ends with a sentence about the broker. */
const nowhere = 'amqp://127.0.0.1:1'
const nothing = ['--url', nowhere, '--management-url', 'http://127.0.0.1:1']

const receipt: Receipt = {
  format: 'warren-receipt/1',
  id: 'r-1',
  queue: 'dlq',
  vhost: '/',
  by: 'ada',
  reason: 'a test',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  ratePerSecond: 3,
  outcome: 'done',
  present: 3,
  moved: 1,
  failed: 1,
  kept: 1,
  stillThere: 0,
  arrivals: 0,
  cameBack: 0,
  missing: 0,
  otherConsumers: 0,
  duplicatesPossible: 0,
  refreshed: 0,
  isBalanced: true,
  targets: [{ target: 'orders', moved: 1 }],
  causes: [{ id: 'c', label: 'c', moved: 1 }],
  failures: [{ kind: 'refused', count: 1 }],
  keptBecause: [{ reason: 'not-selected', count: 1 }],
  digest: 'd',
  refusals: [],
}
const definitions = {
  rabbitmq_version: '4.0.5',
  vhosts: [{ name: '/' }],
  exchanges: [{ name: 'events', vhost: '/', type: 'topic', durable: true, arguments: {} }],
  queues: [
    { name: 'orders', vhost: '/', durable: true, arguments: { 'x-queue-type': 'quorum' } },
    { name: 'orders.dlq', vhost: '/', durable: true, arguments: { 'x-message-ttl': 5 } },
  ],
  bindings: [
    { source: 'events', vhost: '/', destination: 'orders', destination_type: 'queue', routing_key: '#' },
  ],
  policies: [{ name: 'p', vhost: '/', pattern: '.*', 'apply-to': 'queues', definition: {}, priority: 0 }],
}
const config = {
  queues: { orders: { bind: [{ exchange: 'events', key: '#' }], retry: { delays: ['1s'], maxAttempts: 2 } } },
  exchanges: { events: { type: 'topic' } },
  recovery: { queues: ['orders.dlq'], types: { A: 'orders' }, timeouts: { total: '1s' } },
  server: { port: 1 },
}
const edit = { body: { a: [1] }, headers: { tenant: 'acme', list: [1, { a: null }] } }
const backupHeader = {
  format: 'warren-backup/1',
  id: 'b-1',
  purpose: 'backup',
  queue: 'dlq',
  vhost: '/',
  brokerVersion: '4.0.5',
  by: 'ada',
  startedAt: '2026-01-01T00:00:00.000Z',
}

interface FileKind {
  readonly what: string
  readonly name: string
  readonly example: unknown
  readonly commands: (file: string) => readonly (readonly string[])[]
  readonly write?: (file: string, text: string) => Promise<void>
}

const kinds: readonly FileKind[] = [
  {
    what: 'a receipt',
    name: 'receipt.json',
    example: receipt,
    commands: (file) => [['dlq', 'verify', file, ...nothing]],
  },
  {
    what: 'a definitions.json',
    name: 'definitions.json',
    example: definitions,
    commands: (file) => [['init', '--from-definitions', file, '--config', `${file}.yaml`, '--yes']],
  },
  {
    what: 'a config',
    name: 'warren.config.json',
    example: config,
    // `check` reads the recovery section as `recover` does, which would wait for a broker.
    commands: (file) => [
      ['check', '--config', file],
      ['diagram', '--config', file],
      ['export', '--config', file],
    ],
  },
  {
    what: 'a config in YAML',
    name: 'warren.config.yaml',
    example: config,
    commands: (file) => [['check', '--config', file]],
  },
  {
    what: 'an edit',
    name: 'edit.json',
    example: edit,
    commands: (file) => [['dlq', 'redrive', 'dlq', '--edit', file, '--where', 'id:1', '--yes', ...nothing]],
  },
  {
    what: 'definitions for the broker',
    name: 'broker.json',
    example: definitions,
    // Somebody listens there already, so what is sound ends there.
    commands: (file) => [['broker', '--definitions', file, '--port', takenPort, '--management-port', '0']],
  },
  {
    what: 'a backup',
    name: 'orders.backup',
    example: backupHeader,
    commands: (file) => [['dlq', 'backup', '--verify', file]],
    write: async (file, text) => writeFile(file, await packBlock(Buffer.from(`${text}\n`))),
  },
]

const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
const broken = [
  ...['', ' ', 'null', '[]', '{}', '"text"', '42', '{"a":', '\u0000\u0001\u001f\ufffd', '{"__proto__":[]}'],
  ...['['.repeat(50_000), deep, '- '.repeat(50_000), '? '.repeat(50_000)],
  `${'{"queues":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  ...['body', 'headers', 'queues', 'exchanges'].map(
    (name) => `{"queues":[],"exchanges":[],"${name}":${deep}}`,
  ),
  `{"queues":[{"name":"a","arguments":{"x":${deep}}}],"exchanges":[]}`,
  `{"headers":{"x":${deep}}}`,
  `{"body":${deep}}`,
]

let folder = ''
let takenPort = ''
const taken = createServer()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'warren-malformed-'))
  await once(taken.listen(0, '127.0.0.1'), 'listening')
  takenPort = String((taken.address() as AddressInfo).port)
})
afterAll(async () => {
  taken.close()
  await rm(folder, { recursive: true })
})

describe.each(kinds)(
  '$what that is malformed gets a sentence',
  ({ name, example, commands, write = writeFile }) => {
    async function expectSentence(text: string): Promise<void> {
      const file = join(folder, name)
      await write(file, text)
      for (const args of commands(file)) {
        const { said } = await runCliHere(args)
        expect(said).not.toMatch(/should not have happened|TypeError|RangeError|call stack|is not a function/)
      }
    }

    test.each(broken.map((text) => [text.slice(0, 40), text]))('%j', async (_, text) => {
      await expectSentence(text)
    })

    test('whatever is wrong in it', async () => {
      await fc.assert(
        fc.asyncProperty(mutated(example), (value) => expectSentence(JSON.stringify(value) ?? '')),
        { numRuns: 60 },
      )
    })
  },
)

/** The document with one of its values replaced by any other, or left out. */
function mutated(example: unknown): fc.Arbitrary<unknown> {
  return fc
    .record({
      path: fc.constantFrom(...pathsOf(example)),
      junk: fc.option(fc.jsonValue(), { nil: undefined }),
    })
    .map(({ path, junk }) => replaceAt(example, path, junk))
}

function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))]
}

function replaceAt(value: unknown, [name, ...rest]: readonly string[], junk: unknown): unknown {
  if (name === undefined) return junk
  const copy = structuredClone(value) as Record<string, unknown>
  copy[name] = replaceAt(copy[name], rest, junk)
  return copy
}
