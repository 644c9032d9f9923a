import { type ConsumedMessage, connect, jsonLogger, logConsumer } from 'warrenmq'
import { openBroker } from '../open-broker.ts'
import { askWarren, type PeekedQueue, runWarren } from '../run-warren.ts'
import { whenSettled } from '../when-settled.ts'
import topology from './warren.config.ts'

const broker = await openBroker()
const warren = await connect(broker.url, { topology, ...broker.options })
const operator = { broker, folder: import.meta.dirname }
await warren.apply()

// Four queues hear of a validated file. Only the thumbnails fail, until somebody mends them.
let isMended = false
const attempts: number[] = []
const processed: ConsumedMessage[] = []
const thumbnail = await warren.consume('q.thumbnail', (message, { attempt }) => {
  attempts.push(attempt)
  if (!isMended) throw new Error('the thumbnailer is out of memory')
  processed.push(message)
})
logConsumer(thumbnail, jsonLogger())
broker.passDelaysOf(thumbnail)

const seenElsewhere: string[] = []
for (const queue of ['q.extractor', 'q.projection', 'q.audit']) {
  await warren.consume(queue, () => void seenElsewhere.push(queue))
}

console.log('A file is validated, and its thumbnail fails:')
const parked = whenSettled(thumbnail, { kind: 'dead-letter' })
await warren.publisher().publish({
  exchange: 'domain.events',
  key: 'files.validated.png',
  type: 'FileValidated',
  messageId: 'file-1',
  correlationId: 'upload-7',
  body: { file: 'cat.png' },
})
await parked

console.log('\nThe operator looks at what is parked, mends the cause, and puts it back:')
await runWarren({ ...operator, args: ['dlq', 'peek', 'q.thumbnail.dlq'] })
isMended = true
const acknowledged = whenSettled(thumbnail, { kind: 'acknowledge' })
const reason = 'the thumbnailer has more memory'
await runWarren({
  ...operator,
  args: [
    'dlq',
    'redrive',
    'q.thumbnail.dlq',
    '--to',
    'retry',
    '--limit',
    '10',
    '--by',
    'ana',
    '--reason',
    reason,
    '--yes',
  ],
})
await broker.pass(15_000)
await acknowledged

const left = await askWarren<PeekedQueue>({ ...operator, args: ['dlq', 'peek', 'q.thumbnail.dlq'] })
const headers = processed[0]?.headers ?? {}
console.log('\nResult')
console.log(`q.thumbnail     attempts ${attempts.join(', ')}; processed ${processed.length} time`)
console.log(`q.thumbnail.dlq ${left.present} left`)
console.log(`re-driven       by ${headers['x-redriven-by']}, because ${headers['x-redriven-reason']}`)
console.log(`nobody else saw it twice: ${seenElsewhere.sort().join(', ')}`)

await warren.close()
await broker.close()
