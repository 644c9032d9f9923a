import { describe, expect, it } from 'vitest'
import { goldenLines, lineChanges } from '../../../../../test/support/golden-lines.ts'
import { compileTopology } from '../compile-topology.ts'
import type { QueueDeclaration, TopologyDeclaration } from '../declaration.ts'

// "Filas e binds (MVP)" of the document.
const bindings: readonly (readonly [queue: string, exchange: string, keys: readonly string[]])[] = [
  ['q.upload.commands', 'domain.commands', ['commands.upload.#', 'commands.file.reprocess.*']],
  ['q.validator', 'domain.events', ['files.uploaded.*']],
  ['q.thumbnail', 'domain.events', ['files.validated.*']],
  ['q.extractor', 'domain.events', ['files.validated.*']],
  ['q.projection', 'domain.events', ['#']],
  ['q.notification', 'domain.events', ['processing.#', 'files.rejected.*']],
  ['q.audit', 'domain.events', ['#']],
]
const declaration: TopologyDeclaration = {
  layout: 'isolated',
  exchanges: { 'domain.events': { type: 'topic' }, 'domain.commands': { type: 'topic' } },
  queues: Object.fromEntries(
    bindings.map(([queue, exchange, keys]): [string, QueueDeclaration] => [
      queue,
      { bind: keys.map((key) => ({ exchange, key })) },
    ]),
  ),
}
const exact = (brokerVersion: string) =>
  goldenLines(compileTopology({ ...declaration, exact: true }, { brokerVersion }))
const hardened = (brokerVersion: string) => goldenLines(compileTopology(declaration, { brokerVersion }))

// "Exchanges principais" and "Desenho adotado" of the document, for its seven queues.
const document = [
  'exchange domain.events topic',
  'exchange domain.commands topic',
  ...bindings.flatMap(([queue, exchange, keys]) => [
    ...keys.map((key) => `bind ${exchange} -> ${queue} key=${key}`),
    `exchange retry.${queue} direct`,
    `exchange dlq.${queue} direct`,
    `queue ${queue} classic x-dead-letter-exchange="retry.${queue}" x-dead-letter-routing-key="retry"`,
    `queue ${queue}.retry classic x-dead-letter-exchange="" x-dead-letter-routing-key="${queue}" x-message-ttl=15000`,
    `queue ${queue}.dlq classic`,
    `bind retry.${queue} -> ${queue}.retry key=retry`,
    `bind dlq.${queue} -> ${queue}.dlq key=parking`,
  ]),
].sort()

describe('layout isolated', () => {
  it.each(['3.10', '4.0', '4.3'])('exact is the document to the letter on %s', (version) => {
    expect(exact(version)).toEqual(document)
  })

  it.each([
    ['3.10', ''],
    ['4.0', 'x-delivery-limit=-1 '],
    ['4.3', 'x-delivery-limit=-1 '],
  ])('hardened on %s makes all three queues quorum and the hops at-least-once', (version, unlimited) => {
    const changes = lineChanges(exact(version), hardened(version)).filter((line) =>
      /^\+.*q\.audit/.test(line),
    )

    expect(changes).toEqual([
      `+ queue q.audit quorum x-dead-letter-exchange="retry.q.audit" x-dead-letter-routing-key="retry" x-dead-letter-strategy="at-least-once" ${unlimited}x-overflow="reject-publish"`,
      `+ queue q.audit.dlq quorum ${unlimited}`.trim(),
      '+ queue q.audit.retry quorum x-dead-letter-exchange="" x-dead-letter-routing-key="q.audit" x-dead-letter-strategy="at-least-once" x-message-ttl=15000 x-overflow="reject-publish"',
    ])
  })

  it('states its flow: three attempts by rejections, parked with key parking, re-driven through retry', () => {
    const flow = compileTopology(declaration, { brokerVersion: '4.0' }).flows.find(
      ({ name }) => name === 'q.validator',
    )

    expect(flow).toMatchObject({
      retry: { kind: 'reject', delayMs: 15_000, waitQueue: 'q.validator.retry' },
      park: { kind: 'publish', exchange: 'dlq.q.validator', key: 'parking' },
      attempts: { kind: 'rejections', queue: 'q.validator' },
      maxAttempts: 3,
      redrive: { retry: { exchange: 'retry.q.validator', key: 'retry' } },
    })
  })
})
