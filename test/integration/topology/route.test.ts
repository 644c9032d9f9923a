import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planBlindly } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { indexRoutes } from '../../../packages/warrenmq/src/topology/route.ts'
import { validateTopology } from '../../../packages/warrenmq/src/topology/validate-topology.ts'
import { useBroker } from '../../support/use-broker.ts'
import { lawSeed } from './law-settings.ts'

const broker = await useBroker()
const session = await Session.open(broker.url)
const publisher = new Publisher(session)
const channel = await session.openChannel()
afterAll(async () => {
  await publisher.close()
  await session.close()
})

const exchangeTypes = ['direct', 'fanout', 'topic', 'headers'] as const
const exchange = fc.constantFrom(...exchangeTypes.map((type) => `x-${type}`), 'x-topic-2')
const key = fc.constantFrom('', 'a', 'b', 'a.b', '#', '*', 'a.*', 'a.#', '#.b', '*.b', 'a.#.b', 'a.b.c')
const headers = fc.dictionary(fc.constantFrom('p', 'q', 'x-r'), fc.constantFrom('1', '2'), { maxKeys: 2 })
const match = fc.constantFrom('all', 'any', 'all-with-x', 'any-with-x')
const binding = fc
  .record({ exchange, key, headers, match })
  .map(({ exchange: from, key: on, headers: wanted, match: mode }) => ({
    exchange: from,
    key: on,
    ...(from === 'x-headers' ? { arguments: { ...wanted, 'x-match': mode } } : {}),
  }))
const bindings = fc.uniqueArray(binding, { maxLength: 3, selector: (each) => JSON.stringify(each) })
const message = fc.record({
  exchange: fc.oneof(exchange, fc.constant('')),
  key: fc.oneof(key, fc.constantFrom('1', '2')),
  headers,
})

/** Everything that a queue holds, emptied by reading. */
async function drain(from: AmqpChannel, queue: string): Promise<number[]> {
  const bodies: number[] = []
  for (let got = await from.get(queue, { noAck: true }); got; got = await from.get(queue, { noAck: true })) {
    bodies.push(Number(got.body))
  }
  return bodies.sort((left, right) => left - right)
}

describe('the model of routing', () => {
  let run = 0

  it('sends every message where RabbitMQ does', async () => {
    const property = fc.asyncProperty(
      fc.record({
        ofQueues: fc.tuple(bindings, bindings, bindings),
        ofExchange: bindings,
        hasAlternate: fc.boolean(),
      }),
      fc.array(message, { minLength: 1, maxLength: 8 }),
      async ({ ofQueues, ofExchange, hasAlternate }, messages) => {
        // A prefix for each run keeps the runs apart in one vhost.
        run += 1
        const name = (plain: string) => (plain === '' ? '' : `${run}-${plain}`)
        const renamed = (list: typeof ofExchange) =>
          list.map((each) => ({ ...each, exchange: name(each.exchange) }))
        const queueNames = ofQueues.map((_, index) => name(`${index}`))
        const topology: TopologyDeclaration = {
          exchanges: Object.fromEntries([
            ...exchangeTypes.map((type) => [
              name(`x-${type}`),
              { type, ...(hasAlternate && type === 'direct' ? { alternateExchange: name('x-fanout') } : {}) },
            ]),
            [name('x-topic-2'), { type: 'topic', bind: renamed(ofExchange) }],
          ]),
          queues: Object.fromEntries(
            ofQueues.map((list, index) => [
              name(`${index}`),
              { type: 'classic', deadLetter: false, bind: renamed(list) },
            ]),
          ),
        }
        expect(validateTopology(topology)).toEqual([])
        const { wanted, plan } = planBlindly(topology, broker.version)
        expect(await applyPlan(session, plan)).toMatchObject({ isComplete: true })

        const sent = messages.map(({ exchange: to, key: on, headers: carried }) => ({
          ...(to === '' ? { exchange: '', key: name(on) } : { exchange: name(to), key: on }),
          headers: carried,
        }))
        await Promise.all(sent.map((each, index) => publisher.publish({ ...each, body: String(index) })))

        const routes = indexRoutes(wanted)
        for (const queue of queueNames) {
          const reaches = (index: number) => routes.route(sent[index]!).some((route) => route.queue === queue)
          const expected = [...sent.keys()].filter(reaches)
          expect(await drain(channel, queue)).toEqual(expected)
        }
      },
    )
    await fc.assert(property, { numRuns: 25, seed: lawSeed })
  })
})
