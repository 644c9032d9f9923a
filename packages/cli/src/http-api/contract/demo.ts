import type { EndpointList } from './endpoint.ts'
import { closed, count, flag, named, object, type SchemaValue, text, time } from './schema.ts'

/** The shop of `warren demo --console`. Every other server answers 404. */

const demoState = named('Demo', 'The shop of the demo, and the clock of its broker.', {
  now: time('The time on the clock of the broker, which you can turn.'),
  isMended: flag('The payment gateway and the carrier work again.', false),
  orders: object('Where the orders are, as the services of the shop count them.', {
    placed: count('Orders that customers have placed.', 1_000),
    delivered: count('Orders that are done.', 850),
    moving: count('Orders that a service is working on.', 3),
    waiting: count('Orders that wait for their next attempt.', 40),
    parked: count('Orders in a dead-letter queue.', 107),
  }),
})
export type Demo = SchemaValue<typeof demoState>

const clockRequest = named(
  'DemoClockRequest',
  'How far to turn the clock.',
  {
    forward: text('How much time passes on the broker, up to a day.', '5m', {
      pattern: '^([0-9]{1,6}(ms|[dhms])){1,3}$',
    }),
  },
  closed,
)
const worldRequest = named(
  'DemoWorldRequest',
  'Whether the services around the shop work.',
  { isMended: flag('True: they are repaired. False: they fail again.', true) },
  closed,
)

const base = { tag: 'demo', problems: ['API_NOT_FOUND'] } as const
const changing = { ...base, method: 'POST', needs: 'dlq:redrive', answer: demoState } as const
export const demoEndpoints = {
  showDemo: {
    ...base,
    method: 'GET',
    path: '/api/v1/demo',
    needs: 'dlq:read',
    answer: demoState,
    summary: 'Show the shop of the demo',
    description: 'Only in `warren demo --console`; any other server answers 404.',
  },
  turnDemoClock: {
    ...changing,
    path: '/api/v1/demo/clock',
    body: clockRequest,
    summary: 'Turn the clock of the demo',
    description:
      'Delays end, and messages are retried. The answer comes when everything that was due has happened.',
  },
  mendDemo: {
    ...changing,
    path: '/api/v1/demo/world',
    body: worldRequest,
    summary: 'Repair the services of the demo, or break them again',
    description: 'Put the dead letters back afterwards, and see them delivered.',
  },
} satisfies EndpointList
