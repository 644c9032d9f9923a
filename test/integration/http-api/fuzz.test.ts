import { expect, it, onTestFinished } from 'vitest'
import type { Endpoint } from '../../../packages/cli/src/http-api/contract/endpoint.ts'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { fuzz, fuzzedQueue, fuzzRounds, fuzzTimeout, setUpFuzz } from './fuzz-rig.ts'

const all = Object.entries(endpoints) as [string, Pick<Endpoint, 'path'>][]
/**
 * What no chance gives: credentials, a login that has begun, a digest, a queue of the isolated layout; and what only
 * `warren console` and the demo have. Other tests reach these.
 */
const hardToReach = [
  'openSession',
  'finishLogin',
  'applyTopology',
  'adminMessages',
  'adminRedrive',
  'verifyReceipt',
  'followLink',
  'showDemo',
  'turnDemoClock',
  'mendDemo',
]

// The embedded broker is quick enough for so many. What RabbitMQ answers otherwise is up to fuzz-broker.test.ts.
it(
  `no request makes the server fail, hang or tell of its inside (${fuzzRounds * all.length} requests)`,
  async () => {
    const broker = await startEmbeddedBroker()
    onTestFinished(() => broker.stop())
    const rig = await setUpFuzz(broker)

    await fuzz(rig, { rounds: fuzzRounds, depth: async () => broker.inspect(fuzzedQueue)!.counts.ready })

    const names = all.map(([name]) => name)
    expect(names.filter((name) => (rig.sent.get(name) ?? 0) < fuzzRounds)).toEqual([])
    const reachable = all.filter(([name, { path }]) => !/:(id|key)/.test(path) && !hardToReach.includes(name))
    expect(reachable.map(([name]) => name).filter((name) => !rig.reached.has(name))).toEqual([])
    // Also the streams of tasks that there are.
    expect(rig.reached).toContain('watchTask')
  },
  fuzzTimeout,
)
