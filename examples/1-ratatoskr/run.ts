import { type ConsumedMessage, connect, type HandlerContext, reject } from 'warrenmq'
import { openBroker } from '../open-broker.ts'
import { askWarren, type PeekedQueue, runWarren } from '../run-warren.ts'
import { whenSettled } from '../when-settled.ts'
import topology from './warren.config.ts'

const broker = await openBroker()
const warren = await connect(broker.url, { topology, ...broker.options })
const operator = { broker, folder: import.meta.dirname }
await warren.apply()

/** Ships an order. A wrong address never works; a carrier may be back in a while. */
let isMended = false
function ship({ id }: ConsumedMessage, { attempt }: HandlerContext) {
  if (isMended) return undefined
  if (id === 'wrong-address') return reject('the address does not exist')
  if (id === 'carrier-down') throw new Error('the carrier does not answer')
  if (id === 'carrier-slow' && attempt < 3) throw new Error('the carrier is slow')
  return undefined
}

const consumer = await warren.consume('my-service.events', ship)
broker.passDelaysOf(consumer)
const story = new Map<string, string[]>()
consumer.events.on('delivery.settled', ({ message: { id = '' }, attempt, outcome }) => {
  console.log(`${id}: attempt ${attempt}, ${outcome.kind}`)
  story.set(id, [...(story.get(id) ?? []), outcome.kind])
})

const publisher = warren.publisher()
const orders = ['good', 'carrier-slow', 'wrong-address', 'carrier-down']
const shipped = whenSettled(consumer, { kind: 'acknowledge', count: 2 })
const parked = whenSettled(consumer, { kind: 'dead-letter', count: 2 })
for (const messageId of orders) {
  await publisher.publish({ exchange: 'shop.events', key: 'order.placed', messageId, body: { messageId } })
}
await Promise.all([shipped, parked])
const { messages } = await askWarren<PeekedQueue>({
  ...operator,
  args: ['dlq', 'peek', 'my-service.events.dlq'],
})

console.log('\nThe address is corrected and the carrier is back:')
isMended = true
const rescued = whenSettled(consumer, { kind: 'acknowledge', count: 2 })
await runWarren({ ...operator, args: ['dlq', 'redrive', 'my-service.events.dlq', '--yes'] })
await rescued

console.log('\nResult')
for (const id of orders) console.log(`${id.padEnd(13)} ${story.get(id)?.join(', ')}`)
for (const { id, headers } of messages) {
  const count = headers['x-retry-count']
  console.log(`was in my-service.events.dlq: ${id}, x-retry-count ${count}, "${headers['x-final-error']}"`)
}

await warren.close()
await broker.close()
