import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../../errors.ts'
import { encodePath, exchangeSegment } from './encode-path.ts'

describe('encodePath', () => {
  it.each([
    [['overview'], {}, '/api/overview'],
    [['queues', '/', 'a b'], {}, '/api/queues/%2F/a%20b'],
    [['queues', '/', 'ü/?#%'], {}, '/api/queues/%2F/%C3%BC%2F%3F%23%25'],
    [['queues', '..', '.'], {}, '/api/queues/%2E%2E/%2E'],
    [['queues'], { page: 1, name: 'a&b', use_regex: undefined }, '/api/queues?page=1&name=a%26b'],
  ])('%j with %j is %s', (segments, query, path) => {
    expect(encodePath(segments, query)).toBe(path)
  })

  it.each([[''], ['\uD800']])('refuses the name %j', (name) => {
    expect(() => encodePath(['queues', '/', name])).toThrow(InvalidArgumentError)
  })

  it('gives the names back, whatever they hold', () => {
    const name = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/\p{Surrogate}/u.test(text))

    fc.assert(
      fc.property(fc.array(name), (segments) => {
        const parts = encodePath(segments).split('/').slice(2)
        expect(parts.map(decodeURIComponent)).toEqual(segments)
        expect(new URL(`http://h${encodePath(segments)}`).pathname.split('/')).toHaveLength(
          segments.length + 2,
        )
      }),
    )
  })
})

describe('exchangeSegment', () => {
  it('names the default exchange as the API does', () => {
    expect(exchangeSegment('')).toBe('amq.default')
    expect(exchangeSegment('orders')).toBe('orders')
  })
})
