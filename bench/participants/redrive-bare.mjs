import { encodeProperties, Publisher, Session, toFieldTable } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// The least that a re-drive with audit headers can cost: our own channel and publisher pass each message on with the
// same headers, confirmed before it is acknowledged. No lock, no proof, no digest, no count at the end.
const { url, queue, target, messages, prefetch } = task
const consuming = await Session.open(url, { name: 'bench bare consuming' })
const publishing = await Session.open(url, { name: 'bench bare publishing' })
const channel = await consuming.openChannel()
await channel.setPrefetch(prefetch)
const publisher = new Publisher(publishing, { window: { messages: prefetch } })
const audit = {
  'x-redriven-at': new Date().toISOString(),
  'x-redriven-by': 'bench',
  'x-redriven-id': '5f0c1c56-9d53-4b0a-8f39-0f1d1f6c2b11',
  'x-redriven-reason': '',
  'x-redriven-count': 1,
}
const properties = encodeProperties({ headers: toFieldTable(audit), deliveryMode: 2, messageId: 'bench' })

await measure(
  () =>
    new Promise((resolve, reject) => {
      let moved = 0
      const move = (delivery) => {
        const message = { exchange: '', key: target, properties, body: delivery.body }
        publisher.publishEncoded(message, ({ kind }) => {
          if (kind !== 'confirmed') return reject(new Error(kind))
          delivery.ack()
          moved += 1
          if (moved === messages) resolve(channel.setPrefetch(1))
        })
      }
      channel.consume(queue, move).catch(reject)
    }),
)
await Promise.all([consuming.close(), publishing.close()])
