import { setTimeout as sleep } from 'node:timers/promises'
import type { Publisher } from '../../../packages/warrenmq/src/index.ts'
import { customerOf, headersOf } from '../../actors/actors.ts'
import type { PlannedMessage } from '../../actors/ledger.ts'
import { archive, exchange } from '../../actors/scenario.ts'
import type { Part } from '../client-task.ts'
import { readJournal } from '../journal.ts'
import { messageAt, mostPublishes } from '../plan-world.ts'

/** Publishes until the end. What was under way when it was killed it never publishes again. */
export async function publish(part: Part, journalFile: string): Promise<void> {
  const { plan, world, warren, random, ending } = part
  const { publisherWindow, publishers } = plan.scenario
  const before = readJournal(journalFile).filter(({ seed, what }) => seed === world.seed && what === 'sent')
  let next = new Set(before.map((entry) => 'id' in entry && entry.id)).size
  const publisher = warren.publisher()
  const one = async (): Promise<void> => {
    while (!ending.aborted) {
      await publishOne(part, publisher, messageAt(plan, next++ * publishers + part.number - 1))
      await sleep(random.between(40, 200))
    }
  }
  await Promise.all(Array.from({ length: Math.min(publisherWindow, mostPublishes) }, one))
}

async function publishOne(part: Part, publisher: Publisher, message: PlannedMessage): Promise<void> {
  const { note, random } = part
  const { id, to, isBroken } = message
  // One in four is published by somebody who does not care for the answer: Jepsen calls it recovered if it is there.
  const isCareless = Number(id.slice(1)) % 4 === 0
  for (;;) {
    note({ what: 'sent', id })
    const result = await publisher.publish({
      ...(to === 'work' ? { exchange, key: 'order.placed' } : { key: archive }),
      messageId: id,
      type: 'order',
      headers: headersOf(message),
      ...(isBroken
        ? { body: Buffer.from('{broken'), contentType: 'application/json' }
        : { body: { id, customer: customerOf(message) } }),
    })
    if (result.kind === 'confirmed') return note({ what: 'confirmed', id })
    if (isCareless) return
    await sleep(random.between(20, 100))
  }
}
