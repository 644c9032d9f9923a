import { describe, expect, it } from 'vitest'
import {
  addSamples,
  forgetBefore,
  type History,
  joinSamples,
  noSamples,
  readHistory,
  type Sample,
} from './history.ts'

const limits = { samples: 3, queues: 2 }

function sampled(depths: readonly Readonly<Record<string, number>>[]): History {
  return depths.reduce<History>(
    (history, each, at) =>
      addSamples(history, { atMs: at * 1_000, depths: new Map(Object.entries(each)), limits }),
    new Map(),
  )
}

describe('the history of depths', () => {
  it('keeps the newest samples of each queue and no more', () => {
    const history = sampled([{ a: 1 }, { a: 2, b: 7 }, { a: 3 }, { a: 4 }])

    expect(history.get('a')?.map(({ messages }) => messages)).toEqual([2, 3, 4])
    expect(history.get('b')?.map(({ messages }) => messages)).toEqual([7])
  })

  it('does not grow with more queues than it may have', () => {
    expect([...sampled([{ a: 1, b: 1, c: 1 }, { c: 1 }]).keys()]).toEqual(['a', 'b'])
  })

  it('forgets what is too old, and queues of which nothing is left', () => {
    const history = forgetBefore(sampled([{ a: 1, b: 1 }, { a: 2 }]), 1_000)

    expect([...history]).toEqual([['a', [{ atMs: 1_000, messages: 2 }]]])
  })

  it('tells how fast a queue grew and shrank', () => {
    const [, samples] = [...sampled([{ a: 10 }, { a: 15 }, { a: 3 }])][0]!

    expect(readHistory(samples, { sinceMs: 0, points: 10 })).toEqual([
      { atMs: 0, messages: 10, perSecond: null },
      { atMs: 1_000, messages: 15, perSecond: 5 },
      { atMs: 2_000, messages: 3, perSecond: -12 },
    ])
  })

  it('gives no more points than asked for, the newest among them, and rates over the longer steps', () => {
    const samples = Array.from({ length: 9 }, (_, at) => ({ atMs: at * 1_000, messages: at * 2 }))

    const read = readHistory(samples, { sinceMs: 0, points: 3 })

    expect(read.map(({ messages, perSecond }) => [messages, perSecond])).toEqual([
      [4, null],
      [10, 2],
      [16, 2],
    ])
  })

  it('begins where it is asked to', () => {
    const samples = [0, 1_000, 2_000].map((atMs) => ({ atMs, messages: 1 }))

    expect(readHistory(samples, { sinceMs: 1_500, points: 5 })).toEqual([
      { atMs: 2_000, messages: 1, perSecond: null },
    ])
  })
})

describe('the history that the broker remembers', () => {
  /** The newest last, at so many seconds apart up to the hundredth minute. */
  function every(seconds: number, depths: readonly number[]): Sample[] {
    return depths.map((messages, at) => ({
      atMs: 6_000_000 - (depths.length - 1 - at) * seconds * 1_000,
      messages,
    }))
  }
  const depths = (samples: readonly Sample[]) => samples.map(({ messages }) => messages)
  const long = 86_400_000

  it('is told closely where it can be, and roughly before that', () => {
    const fine = every(
      5,
      Array.from({ length: 14 }, () => 7),
    )
    const coarse = every(60, [3, 4, 5, 7])

    const joined = joinSamples([], { fine, coarse, uptimeMs: long })

    expect(depths(joined)).toEqual([3, 4, ...Array.from({ length: 13 }, () => 7)])
    expect(joined.at(-1)?.atMs).toBe(6_000_000 - 5_000)
  })

  it('stands before what the server has seen itself, which goes further back', () => {
    const seen = [5_000_000, 5_999_000].map((atMs) => ({ atMs, messages: 1 }))

    expect(depths(joinSamples(seen, { fine: every(5, [2, 2, 2]), coarse: [], uptimeMs: long }))).toEqual([
      ...[1, 2, 2],
    ])
  })

  it.each<[string, number | undefined, number[]]>([
    ['is believed to have been empty while the broker was up', long, [0, 0, 0, 0, 0, 4]],
    ['is not believed to have been empty before the broker was up', 75_000, [0, 0, 4]],
    ['is not believed to have been empty where nobody knows since when it is up', undefined, [4]],
  ])('%s', (_, uptimeMs, expected) => {
    const fine = every(5, [0, 0, 0, 0, 0, 4, 4])

    expect(depths(joinSamples([], { fine, coarse: [], uptimeMs }))).toEqual(expected)
  })

  it('is what the server has seen where the broker remembers nothing', () => {
    const seen = [{ atMs: 1, messages: 1 }]

    expect(joinSamples(seen, noSamples)).toEqual(seen)
    expect(joinSamples(seen, { fine: every(5, [0, 0]), coarse: [], uptimeMs: undefined })).toEqual(seen)
  })
})
