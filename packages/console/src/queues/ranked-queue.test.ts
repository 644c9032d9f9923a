import { expect, it } from 'vitest'
import { findQueues, rankQueues } from './ranked-queue.ts'

const dlq = (queue: string, messages: number | null, sources: readonly string[] = []) => ({
  queue,
  messages,
  sources: [...sources],
  type: 'quorum',
  consumers: 0,
  knownBy: 'topology' as const,
  unacknowledged: 0,
  total: messages,
  perSecond: null,
  originConsumers: null,
  oldestDeath: null,
  mainCause: null,
})
const grows = (queue: string, from: number, to: number) => ({
  queue,
  points: [
    { at: '2030-01-31T18:00:00.000Z', messages: from, perSecond: null },
    { at: '2030-01-31T18:10:00.000Z', messages: to, perSecond: (to - from) / 600 },
  ],
})

it('what grows comes before what is deep, and twice as urgent is what nobody consumes', () => {
  const ranked = rankQueues({
    dlqs: [dlq('deep', 500), dlq('growing', 100), dlq('abandoned', 300, ['work']), dlq('gone', null)],
    history: [grows('growing', 0, 100), grows('deep', 600, 500)],
    traffic: [{ queue: 'work', consumers: 0 }],
  })

  expect(ranked.map(({ queue }) => queue)).toEqual(['growing', 'abandoned', 'deep', 'gone'])
  expect(ranked.map(({ growthPerMinute }) => growthPerMinute)).toEqual([10, 0, -10, 0])
  expect(ranked[1]?.abandoned).toEqual(['work'])
})

it('what has just been emptied is not urgent, however it grew before', () => {
  const ranked = rankQueues({
    dlqs: [dlq('emptied', 0), dlq('shallow', 1)],
    traffic: [],
    history: [grows('emptied', 0, 500)],
  })

  expect(ranked.map(({ queue }) => queue)).toEqual(['shallow', 'emptied'])
  expect(ranked[1]?.growthPerMinute).toBe(0)
})

it('growth is of the last ten minutes, and what came in seconds is not blown up to a minute', () => {
  const points = (...samples: readonly (readonly [string, number])[]) =>
    samples.map(([time, messages]) => ({ at: `2030-01-31T${time}.000Z`, messages, perSecond: null }))
  const ranked = rankQueues({
    dlqs: [dlq('old-spike', 900), dlq('burst', 90)],
    traffic: [],
    history: [
      {
        queue: 'old-spike',
        points: points(['18:00:00', 0], ['18:05:00', 900], ['18:50:00', 900], ['18:59:00', 900]),
      },
      { queue: 'burst', points: points(['18:00:00', 0], ['18:00:18', 90]) },
    ],
  })

  expect(ranked.map(({ queue, growthPerMinute }) => [queue, growthPerMinute])).toEqual([
    ['burst', 90],
    ['old-spike', 0],
  ])
})

it('the line of an hour ends with what the queue holds now', () => {
  const [queue] = rankQueues({ dlqs: [dlq('a', 0)], history: [grows('a', 4, 12)], traffic: [] })

  expect(queue?.depths).toEqual([4, 12, 0])
})

it('a queue is found by words in its name or in those of its origins', () => {
  const ranked = rankQueues({
    dlqs: [dlq('a.dlq', 1, ['billing.Orders']), dlq('b.dlq', 2)],
    traffic: [],
    history: [grows('b.dlq', 1, 2)],
  })
  const names = (search: object) => findQueues(ranked, search).map(({ queue }) => queue)

  expect(names({ find: 'orders bill' })).toEqual(['a.dlq'])
  expect(names({ growing: true })).toEqual(['b.dlq'])
  expect(names({ find: 'dlq' })).toHaveLength(2)
})
