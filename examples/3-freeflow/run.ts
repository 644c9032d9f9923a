import { connect, reject } from 'warrenmq'
import { openBroker } from '../open-broker.ts'
import { askWarren, type PeekedQueue, runWarren } from '../run-warren.ts'
import { whenSettled } from '../when-settled.ts'
import topology from './warren.config.ts'

const broker = await openBroker()
const warren = await connect(broker.url, { topology, ...broker.options })
const operator = { broker, folder: import.meta.dirname }
await warren.apply()

let isMended = false
const users = await warren.consume('freeflow.user', () => {
  if (!isMended) throw new Error('the directory does not answer')
})
const documents = await warren.consume('freeflow.document', () => {
  if (!isMended) return reject('the document is empty')
  return undefined
})
broker.passDelaysOf(users)

const ladder: string[] = []
const startedAtMs = broker.now()
let lastFailureAtMs = startedAtMs
for (const consumer of [users, documents]) {
  consumer.events.on('delivery.settled', ({ message, attempt, outcome }) => {
    const waits =
      outcome.kind === 'retry' && outcome.delay.by === 'publish' ? ` ${outcome.delay.tier.key}` : ''
    const step = `${message.routingKey}: attempt ${attempt}, ${outcome.kind}${waits}`
    ladder.push(step)
    console.log(`${Math.round((broker.now() - startedAtMs) / 1_000)} s: ${step}`)
    if (outcome.kind === 'dead-letter') lastFailureAtMs = broker.now()
  })
}

const parked = [users, documents].map((consumer) => whenSettled(consumer, { kind: 'dead-letter' }))
const publisher = warren.publisher()
for (const key of ['document.uploaded', 'user.created']) {
  await publisher.publish({ exchange: 'freeflow.events', key, messageId: key, body: { key } })
}
await Promise.all(parked)
const dead = await askWarren<PeekedQueue>({ ...operator, args: ['dlq', 'peek', 'freeflow.events.dlq'] })

console.log('\nBoth are mended; one re-drive finds the queue that each failed in:')
isMended = true
const rescued = [users, documents].map((consumer) => whenSettled(consumer, { kind: 'acknowledge' }))
await runWarren({ ...operator, args: ['dlq', 'redrive', 'freeflow.events.dlq', '--yes'] })
await Promise.all(rescued)

console.log('\nResult')
for (const step of ladder.toSorted()) console.log(step)
console.log(`${Math.round((lastFailureAtMs - startedAtMs) / 1_000)} s from the first attempt to the last`)
for (const { id, headers } of dead.messages.toSorted((left, right) => left.id.localeCompare(right.id))) {
  const names = ['x-retry-count', 'x-original-exchange', 'x-original-routing-key', 'x-final-error']
  console.log(`was in freeflow.events.dlq: ${id}`)
  for (const name of names) console.log(`  ${name}: ${headers[name]}`)
}

await warren.close()
await broker.close()
