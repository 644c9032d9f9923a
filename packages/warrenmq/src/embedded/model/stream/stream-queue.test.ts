import { describe, expect, it } from 'vitest'
import {
  type BenchChannel,
  createModelBench,
  type ModelBench,
} from '../../../../../../test/conformance/model-bench.ts'
import type { PlainTable } from '../../../wire/plain-fields.ts'

function setup(args: PlainTable = {}): { bench: ModelBench; channel: BenchChannel } {
  const bench = createModelBench('4.3')
  bench.declare('log', { 'x-queue-type': 'stream', ...args })
  return { bench, channel: bench.open() }
}

function bodiesSeen({ seen }: BenchChannel): readonly string[] {
  return seen.map(({ body }) => body)
}

describe('a stream', () => {
  it('is read from where its reader asks, as often as anybody likes', () => {
    const { bench, channel } = setup()
    for (const body of ['zero', 'one', 'two']) channel.publish('log', body)

    const readers = ['first', 'last', 'next', 1].map((offset) => {
      const reader = bench.open()
      reader.consume('log', { prefetch: 10, arguments: { 'x-stream-offset': offset } })
      return reader
    })
    channel.publish('log', 'three')

    expect(readers.map(bodiesSeen)).toEqual([
      ['zero', 'one', 'two', 'three'],
      ['two', 'three'],
      ['three'],
      ['one', 'two', 'three'],
    ])
    expect(readers[0]!.seen.map(({ headers }) => headers['x-stream-offset'])).toEqual([0, 1, 2, 3])
  })

  it('gives a reader no more than its prefetch until it acknowledges', () => {
    const { bench, channel } = setup()
    for (const body of ['zero', 'one', 'two']) channel.publish('log', body)
    const reader = bench.open()
    reader.consume('log', { prefetch: 1, arguments: { 'x-stream-offset': 'first' } })
    const before = [...bodiesSeen(reader)]

    reader.settle(1, 'ack')

    expect(before).toEqual(['zero'])
    expect(bodiesSeen(reader)).toEqual(['zero', 'one'])
  })

  it('drops its oldest segments when it is larger than it may be, and never the newest', () => {
    const { bench, channel } = setup({ 'x-max-length-bytes': 300, 'x-stream-max-segment-size-bytes': 100 })
    for (let count = 0; count < 10; count += 1) channel.publish('log', String(count).padEnd(60, '.'))

    const first = bench.bodies('log')[0]!

    expect(Number.parseInt(first, 10)).toBeGreaterThan(0)
    expect(bench.bodies('log').at(-1)).toBe('9'.padEnd(60, '.'))
  })

  it('drops segments that are older than it keeps them', () => {
    const { bench, channel } = setup({ 'x-max-age': '1h', 'x-stream-max-segment-size-bytes': 100 })
    for (const body of ['old', 'older']) channel.publish('log', body.padEnd(90, '.'))
    bench.advance(7_200_000)

    channel.publish('log', 'new'.padEnd(90, '.'))
    channel.publish('log', 'newer'.padEnd(90, '.'))

    expect(bench.bodies('log').map((body) => body.replaceAll('.', ''))).toEqual(['new', 'newer'])
  })
})
