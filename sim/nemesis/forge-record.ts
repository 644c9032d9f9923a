import type { Message } from '../../packages/warrenmq/src/embedded/model/message/message.ts'
import { decodeProperties, encodeProperties } from '../../packages/warrenmq/src/wire/properties.ts'
import type { Fault } from './faults.ts'
import type { Arena } from './strike.ts'

/** Somebody without the servers' key writes into their stream, with what stands there to choose from. */
export function forgeRecord({ choice, nth }: Fault, { broker, universe, ledger }: Arena): void {
  const stream = broker.model.vhosts.get('/')!.queues.get('warren.tasks')
  if (!broker.isListening || !stream) return
  const records = stream.messages().map(({ message }) => message)
  const record = records[Math.floor(choice * records.length)]
  if (!record) return
  const [how, forged] = forge(record, nth % 3)
  if (!stream.enqueue(forged, undefined)) return
  ledger.forged += 1
  universe.tell(`somebody writes a record into the stream of tasks: ${how}`)
}

function forge(record: Message, way: number): [string, Message] {
  if (way === 0) return ['a copy of one', record]
  const { headers: _seal, ...properties } = decodeProperties(record.properties)
  if (way === 1) return ['one without a seal', { ...record, properties: encodeProperties(properties) }]
  const text = Buffer.concat([record.body].flat()).toString('utf8')
  const changed = text.replace(/"state":"\w+"/, '"state":"running"').replace(/"moved":\d+/, '"moved":999')
  const body = Buffer.from(`${changed} `)
  return ['a changed one', { ...record, body, bodyBytes: body.length }]
}
