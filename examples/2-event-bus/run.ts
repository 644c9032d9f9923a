import { connect, httpHandler, jsonLogger, logConsumer } from 'warrenmq'
import { openBroker } from '../open-broker.ts'
import { askWarren, type PeekedQueue, runWarren } from '../run-warren.ts'
import { whenSettled } from '../when-settled.ts'
import { type Event, startService } from './start-service.ts'
import topology from './warren.config.ts'

const events: Readonly<Record<string, Event>> = {
  '200': { answers: [200] },
  '409': { answers: [409, 200] },
  '425': { answers: [425, 200] },
  '429': { answers: [429, 200] },
  '400': { answers: [400, 200] },
  '500': { answers: [500, 200] },
  exception: { answers: [0, 200] },
  'always 503': { answers: [503] },
  'always an exception': { answers: [0] },
}

const broker = await openBroker()
const warren = await connect(broker.url, { topology, ...broker.options })
const operator = { broker, folder: import.meta.dirname }
const service = await startService()
await warren.apply()

const cincout = await warren.consume('wms-cincout', httpHandler({ url: service.url }))
broker.passDelaysOf(cincout)
logConsumer(cincout, jsonLogger({ level: 'error' }))
let billed = 0
const billing = await warren.consume('wms-billing', () => {
  billed += 1
})

const outcomes = new Map<string, string[]>()
for (const name of ['delivery.settled', 'delivery.held'] as const) {
  cincout.events.on(name, ({ message: { id = '' }, outcome }) => {
    outcomes.set(id, [...(outcomes.get(id) ?? []), outcome.kind])
  })
}

console.log('Nine events, each answered in its own way. Two of them never work:')
const count = Object.keys(events).length
const allBilled = whenSettled(billing, { kind: 'acknowledge', count })
const handled = whenSettled(cincout, { kind: 'acknowledge', count: count - 2 })
const parked = whenSettled(cincout, { kind: 'dead-letter', count: 2 })
const publisher = warren.publisher()
for (const [messageId, body] of Object.entries(events)) {
  const headers = messageId === '425' ? { processAfterDelayMs: 1_500 } : {}
  await publisher.publish({ exchange: 'wms.main-exchange', key: '', messageId, headers, body })
}
await Promise.all([allBilled, handled, parked])
const { messages } = await askWarren<PeekedQueue>({
  ...operator,
  args: ['dlq', 'peek', 'wms.dlq.wms-cincout'],
})

console.log('\nThe service is mended, and the operator moves them back; their count goes on:')
service.mend()
const attempts: number[] = []
cincout.events.on('delivery.settled', ({ attempt }) => attempts.push(attempt))
const rescued = whenSettled(cincout, { kind: 'acknowledge', count: 2 })
await runWarren({
  ...operator,
  args: ['dlq', 'redrive', 'wms.dlq.wms-cincout', '--attempts', 'continue', '--yes'],
})
await rescued

console.log('\nResult')
for (const id of Object.keys(events)) {
  const kinds = outcomes.get(id) ?? []
  const retries = kinds.filter((kind) => kind === 'retry').length
  const steps = [...new Set(kinds)].map((kind) =>
    kind === 'retry' && retries > 1 ? `${retries} x retry` : kind,
  )
  console.log(`${id.padEnd(19)} ${steps.join(', ')}`)
}
for (const { id, headers } of messages.toSorted((left, right) => left.id.localeCompare(right.id))) {
  console.log(`was in wms.dlq.wms-cincout: ${id}`)
  for (const name of ['x-original-queue', 'x-final-status-code', 'x-final-error', 'x-final-retry-count']) {
    const value = String(headers[name]).replace(service.url, 'the service')
    if (headers[name] !== undefined) console.log(`  ${name}: ${value}`)
  }
}
console.log(`after the move: attempts ${attempts.join(' and ')}`)
console.log(`wms-billing handled ${billed} events, and saw no retry`)

await warren.close()
await service.stop()
await broker.close()
