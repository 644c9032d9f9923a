import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Diagnostic, Parser } from '@asyncapi/parser'
import { Ajv } from 'ajv'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import {
  defineMessages,
  defineTopology,
  type TopologyDeclaration,
  unchecked,
} from '../../../packages/warrenmq/src/index.ts'
import { compileTopology, layoutNames, renderAsyncApi } from '../../../packages/warrenmq/src/operations.ts'
import { runCliHere } from '../../support/run-cli-here.ts'

const parser = new Parser()
const info = { title: 'Shop', version: '2.1.0' }

function render(topology: TopologyDeclaration) {
  return renderAsyncApi(compileTopology(topology, { brokerVersion: '4.0' }), { info, vhost: '/' })
}

/** What its own validator finds, without the advice to take the newest minor version. */
async function mistakesIn(document: object): Promise<readonly Diagnostic[]> {
  const { diagnostics } = await parser.parse(JSON.stringify(document))
  return diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version')
}

const Category = z.object({
  name: z.string(),
  get children() {
    return z.array(Category)
  },
})

const messages = defineMessages({
  OrderPlaced: {
    exchange: 'orders',
    key: 'order.placed',
    description: 'A customer has placed an order.',
    schema: z.object({ id: z.number(), at: z.iso.datetime().transform((text) => new Date(text)) }),
  },
  OrderShipped: { exchange: 'orders', key: 'order.shipped', schema: type({ id: 'number', 'to?': 'string' }) },
  CategoryMoved: { exchange: 'orders', key: 'category.moved', schema: Category },
  OrderCancelled: { exchange: 'orders', key: 'order.cancelled', schema: unchecked<{ id: number }>() },
  OrderPaid: {
    exchange: 'orders',
    key: 'order.paid',
    schema: v.object({ id: v.number() }),
    jsonSchema: {
      type: 'object',
      properties: { id: { $ref: '#/$defs/Id' } },
      $defs: { Id: { type: 'number' } },
    },
  },
  'stock counted/1': {
    exchange: '',
    key: 'stock',
    jsonSchema: { type: 'array', items: { enum: [{ $ref: '#' }] } },
  },
  SettingChanged: {
    exchange: 'settings',
    jsonSchema: {
      type: 'object',
      properties: { default: { $ref: '#/definitions/Value' } },
      definitions: { Value: { type: 'number' } },
    },
  },
})
const topology = defineTopology({
  exchanges: { orders: { type: 'topic' }, settings: { type: 'fanout' } },
  queues: {
    billing: {
      bind: [{ exchange: 'orders', key: 'order.*' }],
      handles: ['OrderPlaced', 'OrderPaid'],
      retry: { delays: ['5s', '1m'], maxAttempts: 3 },
    },
    catalogue: { bind: [{ exchange: 'orders', key: 'category.#' }], retry: false },
    stock: { retry: false },
    preferences: { bind: [{ exchange: 'settings' }], retry: false },
  },
  messages,
})

describe('the messages of a topology as AsyncAPI 3', () => {
  const { document, indescribable } = render(topology)

  it('are valid for its own validator', async () => {
    expect(await mistakesIn(document)).toEqual([])
    expect(indescribable).toEqual([])
  })

  it('are sent to their address and received from the queues that handle them', () => {
    expect(document.info).toEqual(info)
    expect(document.channels['orders_order.placed']).toMatchObject({
      address: 'order.placed',
      messages: { OrderPlaced: { $ref: '#/components/messages/OrderPlaced' } },
      bindings: { amqp: { is: 'routingKey', exchange: { name: 'orders', type: 'topic', durable: true } } },
    })
    expect(document.operations['send.OrderPlaced']).toMatchObject({
      action: 'send',
      channel: { $ref: '#/channels/orders_order.placed' },
    })
    expect(document.operations['receive.billing']).toMatchObject({
      action: 'receive',
      messages: [
        { $ref: '#/channels/billing/messages/OrderPlaced' },
        { $ref: '#/channels/billing/messages/OrderPaid' },
      ],
      description: 'Tried up to 3 times, after 5s, 1m, then kept in billing.dlq.',
    })
    expect(document.operations['receive.catalogue']).toMatchObject({
      messages: [{ $ref: '#/channels/catalogue/messages/CategoryMoved' }],
    })
    expect(document.operations['send.stock_counted_1']).toMatchObject({
      channel: { $ref: '#/channels/stock' },
    })
    expect(document.channels.settings).toMatchObject({ address: '', title: 'settings' })
    expect(document.components.messages.OrderPlaced).toMatchObject({
      name: 'OrderPlaced',
      summary: 'A customer has placed an order.',
      bindings: { amqp: { messageType: 'OrderPlaced' } },
    })
  })

  it('have bodies that take what their schemas take, and nothing else', () => {
    const takes = (name: string, body: unknown) =>
      new Ajv({ strict: false, validateFormats: false })
        .addSchema(document, 'document')
        .validate({ $ref: `document#/components/schemas/${name}` }, body)

    expect(takes('OrderPlaced', { id: 1, at: '2026-01-31T12:00:00Z' })).toBe(true)
    expect(takes('OrderPlaced', { id: 1, at: 5 })).toBe(false)
    expect(takes('OrderShipped', { id: 1 })).toBe(true)
    expect(takes('OrderShipped', { id: 1, to: 2 })).toBe(false)
    expect(takes('CategoryMoved', { name: 'a', children: [{ name: 'b', children: [] }] })).toBe(true)
    expect(takes('CategoryMoved', { name: 'a', children: [{ name: 'b' }] })).toBe(false)
    expect(takes('OrderPaid', { id: 'x' })).toBe(false)
    expect(takes('stock_counted_1', [{ $ref: '#' }])).toBe(true)
    expect(takes('SettingChanged', { default: 5 })).toBe(true)
    expect(takes('SettingChanged', { default: 'x' })).toBe(false)
    expect(document.components.messages.OrderCancelled).not.toHaveProperty('payload')
  })

  it.each(layoutNames)('are valid in the layout %s', async (layout) => {
    const ofLayout = defineTopology({
      layout,
      exchanges: { orders: { type: 'topic' } },
      queues: {
        'shop.orders': {
          ...(layout === 'event-bus' ? {} : { bind: [{ exchange: 'orders', key: '#' }] }),
          retry: { delays: ['5s'], maxAttempts: 3 },
        },
      },
      messages: { OrderPlaced: { exchange: 'orders', key: 'order.placed' } },
    })
    expect(await mistakesIn(render(ofLayout).document)).toEqual([])
  })

  it('are valid whatever they are called, and wherever they are published', async () => {
    const odd = defineTopology({
      exchanges: { 'ä b': { type: 'x-delayed-message', arguments: { 'x-delayed-type': 'topic' } } },
      queues: { 'q/1': { bind: [{ exchange: 'ä b', key: '#' }], retry: false }, 'q 1': { retry: false } },
      messages: {
        'a/b': { exchange: 'ä b', key: 'order.{id}' },
        'a b': { exchange: 'amq.topic', key: '' },
        'a~b': { exchange: '', key: 'q 1' },
      },
    })
    const { document } = render(odd)
    expect(await mistakesIn(document)).toEqual([])
    expect(Object.keys(document.components.messages)).toEqual(['a_b', 'a_b-2', 'a_b-3'])
  })
})

describe('warren export --asyncapi', () => {
  function writeConfig(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'warren-asyncapi-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'warren.config.ts'), text)
    return folder
  }

  it('writes the document of a config, as YAML if the file is called so', async () => {
    const folder = writeConfig(`
      import { defineTopology } from 'warrenmq'
      export default defineTopology({
        queues: { orders: { retry: false } },
        messages: { OrderPlaced: { exchange: '', key: 'orders', jsonSchema: { type: 'object' } } },
      })`)
    const output = join(folder, 'asyncapi.yaml')
    const config = join(folder, 'warren.config.ts')
    const words = ['--title', 'Orders', '--document-version', '3.1.4', '--vhost', 'shop']

    const { exitCode } = await runCliHere([
      ...['export', '--asyncapi', '--config', config, '--output', output, ...words],
    ])

    expect(exitCode).toBe(0)
    const document = parse(readFileSync(output, 'utf8')) as object
    expect(await mistakesIn(document)).toEqual([])
    expect(document).toMatchObject({
      info: { title: 'Orders', version: '3.1.4' },
      channels: { orders: { bindings: { amqp: { queue: { name: 'orders', vhost: 'shop' } } } } },
    })
  })

  it('says which schema cannot be written, and ends with 3', async () => {
    const config = join(
      writeConfig(`
        import { defineTopology } from 'warrenmq'
        const schema = { '~standard': { version: 1, vendor: 'mute', validate: (value) => ({ value }) } }
        export default defineTopology({
          queues: { orders: { retry: false } },
          messages: { OrderPlaced: { exchange: '', key: 'orders', schema } },
        })`),
      'warren.config.ts',
    )
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))

    const { exitCode, printed } = await runCliHere(['export', '--asyncapi', '--json', '--config', config])

    expect(exitCode).toBe(3)
    expect(await mistakesIn(JSON.parse(printed) as object)).toEqual([])
    expect(await warned).toMatchObject({
      code: 'WARREN_SCHEMA_LEFT_OUT',
      message:
        'The document does not say what the body of OrderPlaced is: schemas of mute cannot be written as JSON Schema. Give the message a jsonSchema.',
    })
  })
})
