import type { OutgoingMessage } from 'warrenmq'

const hourMs = 3_600_000

/** One cause, and how its deaths lie in time: `at` is its middle and `spread` its width, as parts of the whole time. */
interface Wave {
  readonly error: string
  readonly problem: string
  readonly type: string
  readonly share: number
  readonly at: number
  readonly spread: number
}

const waves: readonly Wave[] = [
  {
    error: 'GatewayTimeoutError',
    problem: 'no answer from pay.example after 5 s',
    type: 'OrderPlaced',
    share: 0.52,
    at: 0.68,
    spread: 0.12,
  },
  {
    error: 'PaymentDeclinedError',
    problem: 'card expired',
    type: 'OrderPlaced',
    share: 0.21,
    at: 0.5,
    spread: 1,
  },
  {
    error: 'ConnectionResetError',
    problem: 'read ECONNRESET',
    type: 'RefundRequested',
    share: 0.14,
    at: 0.72,
    spread: 0.2,
  },
  {
    error: 'ValidationError',
    problem: 'amount must be a number',
    type: 'OrderChanged',
    share: 0.09,
    at: 0.25,
    spread: 0.3,
  },
  {
    error: 'LedgerConflictError',
    problem: 'entry 4711 is closed',
    type: 'RefundRequested',
    share: 0.04,
    at: 0.9,
    spread: 0.1,
  },
]

export interface PastDeaths {
  readonly dlq: string
  readonly failedIn: string
  readonly count: number
  /** @default 6 */
  readonly hours?: number
  /** When the last of them died. @default now */
  readonly untilMs?: number
}

/** Dead letters as a consumer parks them, of a time before the test began. The same ones every time. */
export function* pastDeaths({
  dlq,
  failedIn,
  count,
  hours = 6,
  untilMs = Date.now(),
}: PastDeaths): Generator<OutgoingMessage> {
  const chance = createChance(count)
  const days = Array.from({ length: count }, () => {
    const wave = pickWave(chance())
    const place = wave.at + (chance() + chance() + chance() - 1.5) * (wave.spread / 1.5)
    return { wave, diedMs: untilMs - Math.abs(1 - Math.min(1, Math.max(0, place))) * hours * hourMs }
  }).sort((left, right) => left.diedMs - right.diedMs)
  for (const [index, { wave, diedMs }] of days.entries())
    yield messageOf({ dlq, failedIn, index, wave, diedMs, roll: chance() })
}

function messageOf(fields: {
  dlq: string
  failedIn: string
  index: number
  wave: Wave
  diedMs: number
  roll: number
}): OutgoingMessage {
  const { dlq, failedIn, index, wave, diedMs, roll } = fields
  const order = 48_000 + index * 7
  const attempts = wave.error === 'ValidationError' ? 1 : 5
  return {
    key: dlq,
    messageId: `order-${order}`,
    type: wave.type,
    timestamp: new Date(diedMs - attempts * 95_000),
    headers: {
      tenant: roll < 0.5 ? 'acme' : roll < 0.8 ? 'globex' : 'initech',
      'warren-attempts': attempts,
      'warren-reason': attempts === 1 ? 'permanent-error' : 'attempts-exhausted',
      'warren-error-type': wave.error,
      'x-final-error': wave.problem,
      'warren-first-failed-at': new Date(diedMs - (attempts - 1) * 95_000).toISOString(),
      'warren-last-failed-at': new Date(diedMs).toISOString(),
      'warren-service': 'billing',
      'x-original-queue': failedIn,
      'x-original-exchange': 'shop',
      'x-original-routing-key': 'order.placed',
    },
    body: {
      order,
      customer: { id: 9_000 + (index % 700), country: roll < 0.6 ? 'DE' : 'AT' },
      amount: Math.round(roll * 50_000) / 100,
      currency: 'EUR',
      lines: [{ article: `A-${100 + (index % 40)}`, quantity: 1 + (index % 3) }],
    },
  }
}

function pickWave(chance: number): Wave {
  let sum = 0
  for (const wave of waves) {
    sum += wave.share
    if (sum > chance) return wave
  }
  return waves[0]!
}

/** Numbers from 0 to 1 that look random and are the same every time. */
function createChance(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
