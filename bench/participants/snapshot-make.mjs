import { measure } from './participant.mjs'
import { startServer } from './snapshot-run.mjs'

const { get, makeSnapshot, close } = await startServer()
await measure(async () => {
  const snapshot = await makeSnapshot()
  // What the page of a queue reads of it, which takes memory and hardly any time.
  const where = 'queue:billing.orders-1'
  for (const read of [
    ...['causes', 'facets', 'histogram', 'messages?sort=-diedAt'],
    ...[`causes?where=${where}`, `facets?where=${where}`, `histogram?where=${where}`],
    `messages?where=${where}&sort=-diedAt`,
  ])
    await get(`${snapshot}/${read}`)
})
await close()
