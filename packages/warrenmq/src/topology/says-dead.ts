const waitWords = ['retry', 'retries', 'wait', 'waiting', 'delay', 'delayed', 'hold', 'backoff', 'later']
const deadWords = [
  'dead',
  'dlq',
  'dlx',
  'deadletter',
  'deadletters',
  'error',
  'errors',
  'failed',
  'failure',
  'failures',
  'parking',
  'parkinglot',
  'parked',
  'poison',
  'skipped',
  'quarantine',
  'graveyard',
  'rejected',
  'rejects',
  'undeliverable',
  'unprocessable',
]

/** Whether a name says that messages wait there. */
export function saysWait(name: string): boolean {
  return wordsOf(name).some((word) => waitWords.includes(word))
}

/** Whether a name says that dead letters are kept there. */
export function saysDead(name: string): boolean {
  return wordsOf(name).some((word) => deadWords.includes(word))
}

/** `orders.parkingLot` has the words orders, parking, lot. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
}

/** The queue whose name this one begins or ends with: `orders` of `orders_error`. */
export function baseOf(name: string, names: ReadonlySet<string>): string | undefined {
  const cuts = [...name.matchAll(/[._:/-]/g)].map(({ index }) => index)
  const bases = cuts.flatMap((cut) => [name.slice(0, cut), name.slice(cut + 1)])
  return bases.filter((base) => names.has(base)).sort((left, right) => right.length - left.length)[0]
}
