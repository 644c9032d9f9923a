import { measureRead } from './snapshot-run.mjs'

const day = (at) => new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString()

// Fields of the index, with another value each time: none is answered from memory of the one before. They select from all
// messages to a few of them.
const filters = [
  (at) => `attempts>=1 and died>${at + 1}ms and not type:none`,
  (at) => `queue:billing.orders-${at % 5} and died>${at + 1}ms`,
  (at) => `not queue:billing.orders-${at % 5} and died<=${day(at)}`,
  (at) => `died>${day(at)} and (queue:*-1 or queue:*-3) and cause:${at % 2 === 0 ? 'answer' : 'no'}`,
]
const pages = [...filters.map((filter) => [filter, '']), [filters[1], '&sort=-diedAt']]

await measureRead(
  pages.map(
    ([filter, sort]) =>
      ({ get, snapshot, at }) =>
        get(`${snapshot}/messages?where=${encodeURIComponent(filter(at))}${sort}`),
  ),
)
