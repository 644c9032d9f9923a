import { describe, expect, it } from 'vitest'
import type { CompiledBinding, CompiledExchange } from './compiled-topology.ts'
import type { Arguments } from './declaration.ts'
import { indexRoutes, type RoutableTopology } from './route.ts'

const exchange = (name: string, type: string, args: Arguments = {}): CompiledExchange => ({
  name,
  type,
  durable: true,
  autoDelete: false,
  internal: false,
  arguments: args,
})
const bind = (source: string, destination: string, key = '', args: Arguments = {}): CompiledBinding => ({
  source,
  destination,
  destinationType: 'queue',
  key,
  arguments: args,
})
const bindExchange = (source: string, destination: string, key = ''): CompiledBinding => ({
  ...bind(source, destination, key),
  destinationType: 'exchange',
})
const queuesOf = (routes: readonly { queue: string }[]) => routes.map(({ queue }) => queue).sort()

function setup({ exchanges = [], bindings = [] }: Partial<RoutableTopology> = {}) {
  return indexRoutes({ exchanges, bindings, queues: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
}

describe('route', () => {
  it('the default exchange leads to the queue of that name and to no other', () => {
    const routes = setup()

    expect(queuesOf(routes.route({ exchange: '', key: 'a' }))).toEqual(['a'])
    expect(routes.route({ exchange: '', key: 'missing' })).toEqual([])
  })

  it('a direct exchange compares keys, a fanout ignores them, a topic reads wildcards', () => {
    const routes = setup({
      exchanges: [exchange('d', 'direct'), exchange('f', 'fanout'), exchange('t', 'topic')],
      bindings: [
        bind('d', 'a', 'x.*'),
        bind('d', 'b', 'x.y'),
        bind('f', 'a', 'k'),
        bind('f', 'b'),
        bind('t', 'a', 'x.*'),
        bind('t', 'b', '#'),
        bind('t', 'c', 'y.#'),
      ],
    })

    expect(queuesOf(routes.route({ exchange: 'd', key: 'x.y' }))).toEqual(['b'])
    expect(queuesOf(routes.route({ exchange: 'f', key: 'whatever' }))).toEqual(['a', 'b'])
    expect(queuesOf(routes.route({ exchange: 't', key: 'x.y' }))).toEqual(['a', 'b'])
  })

  it.each<[string, Arguments, Arguments, boolean]>([
    ['all', { 'x-match': 'all', p: 1, q: 'z' }, { p: 1, q: 'z', r: 0 }, true],
    ['all', { 'x-match': 'all', p: 1, q: 'z' }, { p: 1 }, false],
    ['any', { 'x-match': 'any', p: 1, q: 'z' }, { q: 'z' }, true],
    ['any', { 'x-match': 'any', p: 1 }, { p: 2 }, false],
    ['all is the default', { p: 1 }, { p: 1 }, true],
    ['all leaves x- names out', { 'x-match': 'all', 'x-p': 1 }, {}, true],
    ['all-with-x counts them', { 'x-match': 'all-with-x', 'x-p': 1 }, {}, false],
    ['any-with-x counts them', { 'x-match': 'any-with-x', 'x-p': 1 }, { 'x-p': 1 }, true],
  ])('a headers exchange matches %s', (_title, args, headers, isMatch) => {
    const routes = setup({ exchanges: [exchange('h', 'headers')], bindings: [bind('h', 'a', '', args)] })

    expect(queuesOf(routes.route({ exchange: 'h', key: '', headers }))).toEqual(isMatch ? ['a'] : [])
  })

  it('exchanges bound to exchanges pass messages on, and a circle of them ends', () => {
    const routes = setup({
      exchanges: [exchange('t', 'topic'), exchange('f', 'fanout')],
      bindings: [
        bindExchange('t', 'f', 'x.#'),
        bindExchange('f', 't'),
        bind('f', 'a'),
        bind('t', 'b', 'x.y'),
      ],
    })

    expect(queuesOf(routes.route({ exchange: 't', key: 'x.y' }))).toEqual(['a', 'b'])
    expect(queuesOf(routes.route({ exchange: 't', key: 'z' }))).toEqual([])
  })

  it('an alternate exchange takes only what its exchange cannot route', () => {
    const routes = setup({
      exchanges: [exchange('d', 'direct', { 'alternate-exchange': 'f' }), exchange('f', 'fanout')],
      bindings: [bind('d', 'a', 'k'), bind('f', 'b')],
    })

    expect(queuesOf(routes.route({ exchange: 'd', key: 'k' }))).toEqual(['a'])
    expect(queuesOf(routes.route({ exchange: 'd', key: 'other' }))).toEqual(['b'])
  })

  it('an exchange that does not exist leads nowhere', () => {
    const routes = setup({ bindings: [bind('ghost', 'a', 'k')] })

    expect(routes.route({ exchange: 'ghost', key: 'k' })).toEqual([])
    expect(routes.hasExchange('ghost')).toBe(false)
  })

  it('a route names the bindings that led there', () => {
    const audit = bind('t', 'a', '#')
    const routes = setup({ exchanges: [exchange('t', 'topic')], bindings: [audit] })

    expect(routes.route({ exchange: 't', key: 'user.retry' })).toEqual([{ queue: 'a', via: [audit] }])
  })

  it('what a pattern may reach includes every queue that one of its keys reaches', () => {
    const routes = setup({
      exchanges: [exchange('t', 'topic'), exchange('d', 'direct')],
      bindings: [bind('t', 'a', '*.retry'), bind('t', 'b', 'order.*'), bind('d', 'c', 'user.retry')],
    })

    expect(queuesOf(routes.mayRoute('t', 'user.*'))).toEqual(['a'])
    expect(queuesOf(routes.mayRoute('t', '#'))).toEqual(['a', 'b'])
    expect(queuesOf(routes.mayRoute('d', 'user.*'))).toEqual(['c'])
    expect(queuesOf(routes.mayRoute('d', 'user.retry'))).toEqual(['c'])
  })
})
