import { expect, it } from 'vitest'
import type { Schemas } from '../api/api.ts'
import { lifeSteps } from './life-steps.ts'

const properties = { timestamp: '2030-01-31T18:00:00.000Z' } as Schemas['MessageProperties']
const cause = { id: 'c-1', label: 'TimeoutError', kind: 'error' as const }
const header = (name: string, value: unknown) => ({ name, type: 'S', value })
const death = (queue: string, reason: string, count: number) => ({
  queue,
  reason,
  count,
  firstAt: null,
  exchange: '',
  routingKeys: [],
})

it('a life goes from the publish through every death to the end, in plain words', () => {
  const steps = lifeSteps({
    properties,
    cause,
    diedAt: null,
    attempts: 6,
    exchange: '',
    routingKey: 'orders',
    headers: [],
    failedIn: 'orders',
    deaths: [death('orders', 'rejected', 1), death('orders.wait.5s', 'expired', 3)],
  })

  expect(steps.map(({ title, detail }) => `${title} ${detail}`)).toEqual([
    'Published to the default exchange with the key orders',
    'Rejected in orders',
    'Waited 3 times in orders.wait.5s',
    'Dead after 6 attempts failed in orders: TimeoutError',
  ])
})

it('seconds that are no date are no time', () => {
  const [published] = lifeSteps({
    properties: { ...properties, timestamp: '99999999999999' },
    cause,
    diedAt: null,
    attempts: null,
    exchange: 'shop',
    routingKey: '',
    failedIn: null,
    deaths: [],
    headers: [],
  })

  expect(published).toMatchObject({ at: null, detail: 'to shop with the key “”' })
})

it('what was put back and died again has both in its life, in the order of time', () => {
  const steps = lifeSteps({
    properties,
    cause,
    diedAt: '2030-01-31T20:00:00.000Z',
    attempts: 2,
    exchange: '',
    routingKey: 'orders',
    failedIn: 'orders',
    deaths: [{ ...death('orders', 'rejected', 1), firstAt: '2030-01-31T18:05:00.000Z' }],
    headers: [
      header('warren-first-failed-at', '2030-01-31T19:30:00.000Z'),
      header('x-redriven-at', '2030-01-31T19:00:00.000Z'),
      header('x-redriven-by', 'ann'),
      header('x-redriven-id', 'r-1'),
      header('x-redriven-count', 2),
      header('x-redriven-reason', 'fixed'),
      header('warren-previous', {}),
    ],
  })

  expect(steps.map(({ title, detail }) => `${title} ${detail}`)).toEqual([
    'Published to the default exchange with the key orders',
    'Rejected in orders',
    'Edited and put back, the 2nd time by ann: “fixed”',
    'First attempt failed in orders',
    'Dead again after 2 attempts failed in orders: TimeoutError',
  ])
  expect(steps[2]?.task).toBe('r-1')
})

it('a wait follows the failure that led to it, although RabbitMQ tells its time in whole seconds', () => {
  const steps = lifeSteps({
    properties,
    cause,
    attempts: 2,
    exchange: 'shop',
    routingKey: 'order',
    failedIn: 'orders',
    diedAt: '2030-01-31T18:00:00.900Z',
    deaths: [{ ...death('orders.wait', 'expired', 1), firstAt: '2030-01-31T18:00:00.000Z' }],
    headers: [header('warren-first-failed-at', '2030-01-31T18:00:00.400Z')],
  })

  expect(steps.map(({ title }) => title)).toEqual([
    'Published',
    'First attempt failed',
    'Waited',
    'Dead after 2 attempts',
  ])
})

it('a message was published to where it was sent at first, and not to where it died last', () => {
  const [published, , dead] = lifeSteps({
    properties,
    diedAt: null,
    attempts: null,
    failedIn: 'orders',
    headers: [],
    exchange: '',
    routingKey: 'orders.dlq',
    cause: { ...cause, label: 'expired (orders)' },
    deaths: [{ ...death('orders', 'expired', 1), exchange: 'shop', routingKeys: ['order.placed'] }],
  })

  expect(published?.detail).toBe('to shop with the key order.placed')
  expect(dead?.detail).toBe('expired (orders)')
})
