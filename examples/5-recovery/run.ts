import { connect, type OutgoingMessage } from 'warrenmq'
import { openBroker } from '../open-broker.ts'
import { runWarren } from '../run-warren.ts'
import topology from './warren.config.ts'

const broker = await openBroker()
const warren = await connect(broker.url, { topology, ...broker.options })
const operator = { broker, folder: import.meta.dirname }
await warren.apply()

// What a bad night left behind: work that nobody took in time and that has no type, scans, more thumbnails than
// their queue takes, and some of a type that nobody knows.
const publisher = warren.publisher()
const publishMany = (count: number, message: Omit<OutgoingMessage, 'body'>) =>
  Promise.all(
    Array.from({ length: count }, (_, number) => publisher.publish({ ...message, body: { number } })),
  )
const dead = (MessageType: string) => ({ key: 'imageviewer.dlq', headers: { MessageType } })
await publishMany(8, { exchange: 'imageviewer.exchange', key: 'cache.generation', expiration: '1ms' })
await broker.pass(1)
await publishMany(2_000, dead('CollectionScan'))
await publishMany(150, dead('ThumbnailGeneration'))
await publishMany(12, dead('FaceDetection'))

/** Works on a queue until so many different messages are done. */
async function work(queue: string, count: number): Promise<string> {
  const done = new Set<string>()
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const consumer = await warren.consume(queue, ({ id = '' }) => {
    done.add(id)
    if (done.size === count) finish()
  })
  await finished
  await consumer.close()
  return `${queue}: ${done.size} done`
}

console.log('The worker starts, and recovers before it works:')
const [first] = await warren.recover({ log: (line) => console.log(line) })
const results = [
  await work('cache.generation', 8),
  await work('collection.scan', 2_000),
  await work('thumbnail.generation', 100),
]

console.log('\nIt is started again, this time by a command before it, and what had failed is tried again:')
const secondStart = await runWarren({ ...operator, args: ['recover'] })
results.push(await work('thumbnail.generation', 50))

console.log('\nA person looks at what nobody knows, and finds that it is work for image.processing:')
const review = ['dlq', 'redrive', 'imageviewer.dlq', '--to', 'image.processing', '--yes']
const reviewed = await runWarren({ ...operator, args: review })
results.push(await work('image.processing', 12))

console.log('\nResult')
for (const result of results) console.log(result)
console.log(`first start: ${first?.recovered} recovered, ${first?.failed} failed, ${first?.skipped} kept`)
console.log(
  `second start: exit code ${secondStart}, because something was kept; after the review: ${reviewed}`,
)

await warren.close()
await broker.close()
