import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { runCliHere } from '../../support/run-cli-here.ts'
import { createVhost, useBroker } from '../../support/use-broker.ts'

await useBroker()

const load = createRequire(import.meta.url)
/** It comes without types. */
const { BrokerAsPromised, withDefaultConfig } = load('rascal') as {
  BrokerAsPromised: {
    create(
      config: object,
    ): Promise<{ on(event: 'error', listener: () => void): void; shutdown(): Promise<void> }>
  }
  withDefaultConfig(config: object): object
}

/** Everything that has a place on a broker, in every way of writing it. */
const everything = {
  defaults: { vhosts: { exchanges: { type: 'direct' } } },
  vhosts: {
    V: {
      namespace: 'shop',
      exchanges: {
        events: { type: 'topic', options: { alternateExchange: 'shop:lost' } },
        lost: { type: 'fanout' },
        direct: {},
        audit: { type: 'headers', options: { durable: false, autoDelete: true } },
      },
      queues: {
        orders: {
          options: {
            arguments: { 'x-queue-type': 'quorum', 'x-dead-letter-exchange': 'direct' },
            deadLetterRoutingKey: 'dead',
          },
        },
        'orders:dead': {},
        lost: { options: { messageTtl: 60_000, maxLength: 10, overflow: 'reject-publish' } },
        replies: { replyTo: 'a1' },
        audit: { options: { durable: false, expires: 600_000, arguments: { 'x-max-priority': 5 } } },
      },
      bindings: {
        'events[order.placed, order.paid] -> orders': {},
        'direct[dead] -> orders:dead': {},
        all: { source: 'events', destination: 'replies' },
        lost: { source: 'lost', destination: 'lost', bindingKey: 'x', qualifyBindingKeys: true },
        'events -> direct': { destinationType: 'exchange', bindingKeys: ['order.#', 'other'] },
        headers: { source: 'audit', destination: 'audit', options: { 'x-match': 'all', type: 'order' } },
      },
      publications: {
        placed: { exchange: 'events', routingKey: 'order.placed' },
        again: { queue: 'orders' },
      },
    },
  },
}

/** Lets rascal make what the config says, and Warren write down what the config says. */
async function setUp(config: object) {
  const broker = await createVhost()
  onTestFinished(() => broker.drop())
  const [[, vhost]] = Object.entries((config as { vhosts: Record<string, object> }).vhosts) as [
    [string, object],
  ]
  const own = {
    ...config,
    vhosts: { [broker.vhost]: { ...vhost, connections: [{ url: broker.url }], assert: false } },
  }
  const rascal = await BrokerAsPromised.create(withDefaultConfig(structuredClone(own)))
  rascal.on('error', () => {})
  onTestFinished(() => rascal.shutdown())
  const folder = mkdtempSync(join(tmpdir(), 'warren-rascal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const source = join(folder, 'rascal.json')
  writeFileSync(source, JSON.stringify(own))
  const file = join(folder, 'warren.config.yaml')
  const management = new URL(broker.managementUrl)
  management.username = broker.username
  management.password = broker.password
  const init = await runCliHere(['init', '--from-rascal', source, '--config', file])
  const plan = () =>
    runCliHere([
      ...['plan', '--detailed-exitcode', '--config', file],
      ...['--url', broker.url, '--management-url', management.href],
    ])
  const text = () => readFileSync(file, 'utf8')
  return { init, plan, text, topology: () => parse(text()) as Record<string, unknown> }
}

const advanced = {
  ...(load('rascal/examples/advanced/config.js') as { rascal: { vhosts: object } }).rascal,
  redeliveries: { counters: { shared: { size: 10, type: 'inMemory' } } }, // the one in the example needs a cluster of processes
}
const simple = load('rascal/examples/simple/config.json') as object

test.each([
  ["rascal's simple example", simple],
  ["rascal's advanced example", advanced],
  ['a config with all that rascal declares', everything],
])('%s becomes a topology that plans nothing where rascal has been', async (_, config) => {
  const { init, plan } = await setUp(config)

  expect(init).toMatchObject({ exitCode: 0 })
  const { exitCode, said } = await plan()
  expect(said).toContain('Nothing to do: the broker matches the topology.')
  expect(said).not.toContain('not declared here')
  expect(exitCode).toBe(0)
})

test('publications are kept for the proof, and what no topology can say is listed with what to do', async () => {
  const { init, text, topology } = await setUp(advanced)

  expect(text()).toContain('# Written from a rascal config; 0 of 4 queues follow a layout.')
  expect(topology()).not.toHaveProperty('publications') // none of them names its key
  expect(init.said).toContain(
    "subscriptions.save_user: warren.consume('registration_service:user:save', handler, { poisonLimit: 5 })",
  )
  expect(init.said).toContain(
    "recovery.deferred_retry: throw, and declare retry: { delays: ['1m'], maxAttempts: 11 } on the queue. Then: return reject('…'): it is parked in the dead-letter queue.",
  )
  expect(init.said).toContain('publications.user_event: It has no routingKey')
  expect(init.said).toContain('encryption.well-known-v1: Warren does not encrypt bodies')
  expect(init.said).toContain('delay:1m: wait queue')
  expect(init.said).toContain('dead_letters:registration_service: dead-letter queue')
})

test('the publications of a config are proved', async () => {
  const { topology } = await setUp(everything)
  expect(topology().publications).toEqual([
    { exchange: 'shop:events', key: 'order.placed' },
    { exchange: '', key: 'shop:orders' },
  ])
})
