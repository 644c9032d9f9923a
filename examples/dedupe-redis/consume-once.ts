import { createClient } from 'redis'
import { connect, dedupe, defineTopology } from 'warrenmq'
import { whenSettled } from '../when-settled.ts'
import { redisDedupeStore } from './redis-dedupe-store.ts'

const redis = createClient({ url: process.env.REDIS_URL ?? 'redis://localhost' })
redis.on('error', (error) => console.error('Redis:', error.message))
await redis.connect()

const queue = 'payments.redis'
const topology = defineTopology({ queues: { [queue]: { retry: { delays: ['1s'], maxAttempts: 3 } } } })
const warren = await connect(process.env.AMQP_URL ?? 'amqp://localhost', { topology })
await warren.apply()

let paid = 0
const pay = () => {
  paid += 1
}
const consumer = await warren.consume(queue, pay, {
  middleware: [dedupe(redisDedupeStore(redis), { keep: '7d', lease: '5m' })],
  // One at a time; side by side the second would find the first under way and wait for five seconds.
  concurrency: 1,
})
const bothSettled = whenSettled(consumer, { kind: 'acknowledge', count: 2 })

// The same payment, twice with one id: from an impatient producer, a re-drive, or a crash before an ack.
const messageId = `payment-${Date.now()}`
for (const body of ['pay 10', 'pay 10']) await warren.publisher().publish({ key: queue, messageId, body })
await bothSettled
console.log(`2 deliveries, paid ${paid} time`)

await warren.close()
await redis.close()
