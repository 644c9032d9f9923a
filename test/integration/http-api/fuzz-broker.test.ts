import { expect, it } from 'vitest'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { fuzz, fuzzedQueue, fuzzRounds, fuzzTimeout, setUpFuzz } from './fuzz-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const names = Object.keys(endpoints)
/** A tenth: what a broker answers differently is found with few, and the many are for the server's own code. */
const rounds = Math.ceil(fuzzRounds / 10)

it(
  `no request makes a server of RabbitMQ fail, hang or tell of its inside (${rounds * names.length} requests)`,
  async () => {
    const rig = await setUpFuzz(broker)

    // A broker on a shared machine may nap for longer than a stream is waited for, whichever of the three it is.
    const mayFailWith = ['AUDIT_UNAVAILABLE', 'TASKS_UNAVAILABLE', 'NOTICES_UNAVAILABLE']
    await fuzz(rig, { rounds, depth: () => broker.depth(fuzzedQueue), mayFailWith })

    expect(names.filter((name) => (rig.sent.get(name) ?? 0) < rounds)).toEqual([])
  },
  fuzzTimeout,
)
