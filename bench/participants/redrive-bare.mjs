import { hash } from 'node:crypto'
import { createPublisher, encodeProperties, joinBody, Session, toFieldTable } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// The least that a re-drive can cost: our own channel and publisher pass each message on with audit headers, confirmed
// before it is acknowledged, and add its body to a digest. No lock, no proof, no count at the end, and all messages get the
// same headers, so that none of its own is looked at.
const { url, queue, target, messages, prefetch } = task
const consuming = await Session.open(url, { name: 'bench bare consuming' })
const publishing = await Session.open(url, { name: 'bench bare publishing' })
const channel = await consuming.openChannel()
await channel.setPrefetch(prefetch)
const publisher = createPublisher(publishing, { window: { messages: prefetch } })
const audit = {
  'x-redriven-at': new Date().toISOString(),
  'x-redriven-by': 'bench',
  'x-redriven-id': '5f0c1c56-9d53-4b0a-8f39-0f1d1f6c2b11',
  'x-redriven-reason': '',
  'x-redriven-count': 1,
}
const properties = encodeProperties({ headers: toFieldTable(audit), deliveryMode: 2, messageId: 'bench' })

const sums = new Uint32Array(8)
const wordAt = (text, at) =>
  (text.charCodeAt(at) << 24) |
  (text.charCodeAt(at + 1) << 16) |
  (text.charCodeAt(at + 2) << 8) |
  text.charCodeAt(at + 3)

await measure(
  () =>
    new Promise((resolve, reject) => {
      let moved = 0
      channel.events.on('closed', ({ error }) => reject(error))
      const move = (delivery) => {
        const message = { exchange: '', key: target, properties, body: delivery.body }
        const digest = hash('sha256', joinBody(delivery.body), 'binary')
        publisher.publishEncoded(message, ({ kind }) => {
          if (kind !== 'confirmed') return reject(new Error(kind))
          delivery.ack()
          for (let lane = 0; lane < sums.length; lane += 1) sums[lane] += wordAt(digest, lane * 4)
          moved += 1
          if (moved === messages) resolve(channel.setPrefetch(1))
        })
      }
      channel.consume(queue, move).catch(reject)
    }),
)
await Promise.all([consuming.close(), publishing.close()])
