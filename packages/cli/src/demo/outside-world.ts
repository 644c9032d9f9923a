import { setTimeout as pause } from 'node:timers/promises'

export interface Order {
  readonly number: number
  readonly total: number
}

/** What lies outside the shop and fails: a payment gateway and a carrier. */
export interface OutsideWorld {
  /** Throws a time-out where the gateway does not answer. */
  charge(order: Order, attempt: number): Promise<void>
  /** The status that the carrier answers with. */
  book(order: Order): number
  /** Somebody mends both, or they fail again. @default true */
  mend(isMended?: boolean): void
}

type Trouble = 'none' | 'slow gateway' | 'silent gateway' | 'busy carrier' | 'broken body'

/** By its number, so that every run meets the same troubles. What comes of them is counted, not known beforehand. */
function troubleOf(number: number): Trouble {
  if (number % 40 === 9) return 'broken body'
  if (number % 8 === 3) return 'slow gateway'
  if (number % 12 === 5) return 'silent gateway'
  if (number % 20 === 6) return 'busy carrier'
  return 'none'
}

/** The body of an order as its sender wrote it; some senders stop in the middle. */
export function writeOrder(order: Order): string {
  const text = JSON.stringify(order)
  return troubleOf(order.number) === 'broken body' ? text.slice(0, -6) : text
}

const answerTimeoutMs = 20

export function createOutsideWorld(): OutsideWorld {
  let isMended = false
  return {
    charge: async ({ number }, attempt) => {
      const trouble = troubleOf(number)
      const isSlow = trouble === 'slow gateway' && attempt <= slowAttempts(number)
      if (isSlow || (trouble === 'silent gateway' && !isMended)) await noAnswer()
    },
    book: ({ number }) => (troubleOf(number) === 'busy carrier' && !isMended ? 503 : 200),
    mend: (isMendedNow = true) => {
      isMended = isMendedNow
    },
  }
}

/** One to four: the ladder has a delay for each. */
function slowAttempts(number: number): number {
  return 1 + (Math.floor(number / 8) % 4)
}

async function noAnswer(): Promise<never> {
  await pause(answerTimeoutMs)
  const error = new Error('the payment gateway did not answer in time')
  error.name = 'TimeoutError'
  throw error
}
