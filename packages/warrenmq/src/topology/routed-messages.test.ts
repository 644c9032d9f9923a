import { describe, expectTypeOf, it } from 'vitest'
import { defineMessages, unchecked } from './define-messages.ts'
import { defineTopology, type Topology } from './define-topology.ts'

/** What the compiler says that each queue gets. */
type RoutedOf<Defined> = Defined extends Topology<string, infer _Messages, infer Routed> ? Routed : never

const messages = defineMessages({
  OrderPlaced: { exchange: 'orders', key: 'order.placed', schema: unchecked<{ id: number }>() },
  OrderCancelled: { exchange: 'orders', key: 'order.cancelled' },
  StockCounted: { exchange: 'stock', key: 'eu.north.counted' },
  Pinged: { exchange: 'everybody' },
})
type Name = keyof typeof messages

describe('TypeScript knows which messages a queue gets', () => {
  it('by a topic binding, with words, * and #', () => {
    const topology = defineTopology({
      exchanges: { orders: { type: 'topic' }, stock: { type: 'topic' }, everybody: { type: 'fanout' } },
      queues: {
        exact: { bind: [{ exchange: 'orders', key: 'order.placed' }] },
        star: { bind: [{ exchange: 'orders', key: 'order.*' }] },
        starInFront: { bind: [{ exchange: 'orders', key: '*.cancelled' }] },
        tooFewStars: { bind: [{ exchange: 'stock', key: '*.counted' }] },
        hash: { bind: [{ exchange: 'orders', key: '#' }] },
        hashInFront: { bind: [{ exchange: 'stock', key: '#.counted' }] },
        hashBetween: { bind: [{ exchange: 'stock', key: 'eu.#.counted' }] },
        hashForNothing: { bind: [{ exchange: 'orders', key: 'order.#.placed' }] },
        hashTwice: { bind: [{ exchange: 'stock', key: '#.north.#' }] },
        hashAndStar: { bind: [{ exchange: 'stock', key: '#.*.*.*.*' }] },
        other: { bind: [{ exchange: 'orders', key: 'payment.*' }] },
        noKey: { bind: [{ exchange: 'orders' }] },
      },
      messages,
    })

    expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{
      readonly exact: 'OrderPlaced'
      readonly star: 'OrderPlaced' | 'OrderCancelled'
      readonly starInFront: 'OrderCancelled'
      readonly tooFewStars: never
      readonly hash: 'OrderPlaced' | 'OrderCancelled'
      readonly hashInFront: 'StockCounted'
      readonly hashBetween: 'StockCounted'
      readonly hashForNothing: 'OrderPlaced'
      readonly hashTwice: 'StockCounted'
      readonly hashAndStar: never
      readonly other: never
      readonly noKey: never
    }>()
  })

  it('by direct and fanout bindings, and by several of them', () => {
    const topology = defineTopology({
      exchanges: { orders: { type: 'direct' }, stock: { type: 'direct' }, everybody: { type: 'fanout' } },
      queues: {
        one: { bind: [{ exchange: 'orders', key: 'order.placed' }] },
        notAPattern: { bind: [{ exchange: 'orders', key: 'order.*' }] },
        fanout: { bind: [{ exchange: 'everybody', key: 'whatever' }] },
        both: { bind: [{ exchange: 'orders', key: 'order.cancelled' }, { exchange: 'everybody' }] },
        nothing: { bind: [] },
      },
      messages,
    })

    expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{
      readonly one: 'OrderPlaced'
      readonly notAPattern: never
      readonly fanout: 'Pinged'
      readonly both: 'OrderCancelled' | 'Pinged'
      readonly nothing: never
    }>()
  })

  it('by the default exchange, which takes a message to the queue that its key names', () => {
    const topology = defineTopology({
      queues: { tasks: {}, others: {} },
      messages: {
        TaskAdded: { exchange: '', key: 'tasks' },
        ForSomebodyElse: { exchange: '', key: 'a queue that is declared elsewhere' },
      },
    })

    expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{
      readonly tasks: 'TaskAdded' | 'ForSomebodyElse'
      readonly others: 'ForSomebodyElse'
    }>()
  })
})

it('a queue without a binding gets only what its name is the key of', () => {
  const topology = defineTopology({
    exchanges: { orders: { type: 'topic' }, stock: { type: 'topic' }, everybody: { type: 'fanout' } },
    queues: { unbound: { retry: false }, bound: { layout: 'warren', bind: [{ exchange: 'everybody' }] } },
    messages: { ...messages, ByName: { exchange: '', key: 'unbound' } },
  })

  expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{
    readonly unbound: 'ByName'
    readonly bound: 'Pinged'
  }>()
})

describe('what TypeScript cannot follow is left to `warren check`', () => {
  it('bindings that a layout makes, headers exchanges and plugins', () => {
    const topology = defineTopology({
      layout: 'freeflow',
      exchanges: {
        orders: { type: 'headers' },
        stock: { type: 'x-consistent-hash' },
        everybody: { type: 'fanout' },
      },
      queues: {
        ofTheLayout: {},
        byHeaders: { bind: [{ exchange: 'orders', arguments: { tenant: 'acme' } }] },
        byPlugin: { bind: [{ exchange: 'stock', key: '1' }] },
      },
      messages,
    })

    expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{
      readonly ofTheLayout: Name
      readonly byHeaders: 'OrderPlaced' | 'OrderCancelled'
      readonly byPlugin: 'StockCounted'
    }>()
  })

  it('bindings that the layout of one queue makes', () => {
    const topology = defineTopology({
      exchanges: { orders: { type: 'topic' }, stock: { type: 'topic' }, everybody: { type: 'fanout' } },
      queues: { ofTheLayout: { layout: { name: 'freeflow', namespace: 'acme' } } },
      messages,
    })

    expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{ readonly ofTheLayout: Name }>()
  })

  it('exchanges that feed others, by a binding or as their alternate', () => {
    const topology = defineTopology({
      exchanges: {
        orders: { type: 'topic', alternateExchange: 'rest' },
        stock: { type: 'topic' },
        everybody: { type: 'fanout' },
        inner: { type: 'topic', bind: [{ exchange: 'stock', key: '#' }] },
        rest: { type: 'fanout' },
      },
      queues: {
        behind: { bind: [{ exchange: 'inner', key: '*.north.*' }] },
        rest: { bind: [{ exchange: 'rest' }] },
        plain: { bind: [{ exchange: 'everybody' }] },
      },
      messages,
    })

    expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{
      readonly behind: 'StockCounted'
      readonly rest: Name
      readonly plain: 'StockCounted' | 'Pinged'
    }>()
  })

  it('names and keys that are only known when the program runs', () => {
    const key: string = ['order', 'placed'].join('.')
    const topology = defineTopology({
      exchanges: { orders: { type: 'topic' } },
      queues: {
        some: { bind: [{ exchange: 'orders', key }] },
        literal: { bind: [{ exchange: 'orders', key: 'order.placed' }] },
      },
      messages: {
        OrderPlaced: { exchange: 'orders', key: 'order.placed' },
        Computed: { exchange: 'orders', key },
      },
    })

    expectTypeOf<RoutedOf<typeof topology>>().toEqualTypeOf<{
      readonly some: 'OrderPlaced' | 'Computed'
      readonly literal: 'OrderPlaced' | 'Computed'
    }>()
  })
})
