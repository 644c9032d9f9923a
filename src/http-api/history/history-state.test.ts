import { describe, expect, it } from 'vitest'
import { addSamples, forgetBefore, type History, readHistory } from './history-state.ts'

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
