import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompiledQueue } from '../../../packages/warrenmq/src/topology/compiled-topology.ts'
import type {
  QueueDeclaration,
  TopologyDeclaration,
} from '../../../packages/warrenmq/src/topology/declaration.ts'
import type { PublishAddress, QueueFlow } from '../../../packages/warrenmq/src/topology/queue-flow.ts'
import { eventually } from '../../support/eventually.ts'
import { arbitraryRetry } from './arbitrary-retry.ts'
import { lawProfiles, lawRuns, lawSeed } from './law-settings.ts'
import { openRealLab } from './real-lab.ts'
import { openTopologyLab, type TopologyLab } from './topology-lab.ts'

/** Long enough that a real broker can be looked at while a message waits. */
const delayMs = 500

describe.each(lawProfiles)('of a random layout with strangers on %s', (profile) => {
  it('a retried message comes to the queues that the proof names and to no other', async () => {
    const tally = new Map<string, number>()
    const property = fc.asyncProperty(arbitraryRetry(delayMs), (declared) =>
      checkRetry({ open: () => openTopologyLab(declared, profile), tally }),
    )

    await fc.assert(property, { numRuns: lawRuns, seed: lawSeed, examples })

    // A law that never meets what it is about would hold for anything.
    expect([...tally.keys()].sort()).toEqual(['comes home', 'never-returns', 'seen-by-others'])
  }, 600_000)

  it('a message that was re-driven and fails again ends where the proof says', async () => {
    const tally = new Map<string, number>()
    const property = fc.asyncProperty(arbitraryRetry(delayMs), (declared) =>
      checkSecondFailure({ open: () => openTopologyLab(declared, profile), tally }),
    )

    await fc.assert(property, { numRuns: lawRuns, seed: lawSeed, examples })

    expect([...tally.keys()].sort()).toEqual(['ends in the DLQ', 'park-misses-dlq', 'redrive-misses-queue'])
  }, 600_000)
})

/** One of each kind that chance may not come upon in a short run. */
const examples: [TopologyDeclaration][] = [
  // It parks by rejecting, and its dead letters were sent elsewhere.
  bentQueue({
    layout: 'freeflow',
    exact: true,
    retry: { delays: [delayMs] },
    arguments: { 'x-dead-letter-exchange': 'amq.fanout' },
  }),
  bentQueue({
    layout: 'warren',
    retry: { delays: [delayMs], arguments: { 'x-dead-letter-routing-key': 'a' } },
  }),
  bentQueue({ layout: 'isolated', retry: { delays: [delayMs] } }, [{ exchange: 'retry.w-1', key: 'retry' }]),
]

function bentQueue(queue: QueueDeclaration, bind: QueueDeclaration['bind'] = []): [TopologyDeclaration] {
  return [{ queues: { 'w-1': queue, a: { type: 'classic', deadLetter: false, bind } } }]
}

describe('on the real broker', () => {
  // Each costs a vhost and the delay; that the two brokers agree is shown by the conformance tests.
  const real = { numRuns: 6, seed: lawSeed }
  const sample = (check: (checked: Checked) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(arbitraryRetry(delayMs), (declared: TopologyDeclaration) =>
        check({ open: () => openRealLab(declared), tally: new Map() }),
      ),
      real,
    )

  it(
    'a retried message of a random layout comes to the queues that the proof names',
    () => sample(checkRetry),
    120_000,
  )

  it(
    'a second failure in a random layout ends where the proof says',
    () => sample(checkSecondFailure),
    120_000,
  )
})

interface Checked {
  /** A broker of its own for each try. */
  readonly open: () => Promise<TopologyLab>
  /** How often each outcome was met. */
  readonly tally: Map<string, number>
}

async function checkRetry({ open, tally }: Checked): Promise<void> {
  const lab = await open()
  try {
    const flow = flowOf(lab)
    const predicted = predictRetry(lab, flow)
    for (const outcome of predicted.outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1)

    await fail(lab, flow)

    expect(await whereabouts(lab, predicted.queues), predicted.outcomes.join()).toEqual(predicted.queues)
  } finally {
    await lab.close()
  }
}

async function checkSecondFailure({ open, tally }: Checked): Promise<void> {
  const lab = await open()
  try {
    const flow = flowOf(lab)
    const findings = lab.proof.findings.filter(
      ({ property, queue }) => property === 'second-failure' && queue === flow.queue,
    )
    for (const outcome of findings.length > 0 ? findings.map(({ code }) => code) : ['ends in the DLQ'])
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
    const missed = findings.filter(({ code }) => code === 'redrive-misses-queue')

    await park(lab, flow)
    const isMissing = findings.some(({ code }) => code === 'park-misses-dlq')
    const parked = await whereabouts(lab, isMissing ? [] : [flow.deadLetterQueue!])
    expect(parked.includes(flow.deadLetterQueue!), JSON.stringify(parked)).toBe(!isMissing)

    const astray = []
    for (const target of [flow.redrive.origin, flow.redrive.retry]) {
      const reached = target && (await takenFrom(lab, target))
      const isRight = reached?.length === 1 && [flow.queue, ...flow.waitQueues].includes(reached[0]!)
      if (reached && !isRight) astray.push(reached.join(', ') || 'no queue')
    }

    expect(astray).toEqual(missed.map(({ path }) => path.at(-1)))
  } finally {
    await lab.close()
  }
}

const body = 'the message'

function flowOf({ wanted }: TopologyLab): QueueFlow {
  return wanted.flows.find(({ name }) => name === 'w-1')!
}

function predictRetry({ proof }: TopologyLab, { queue }: QueueFlow) {
  const findings = proof.findings.filter((each) => each.property === 'comes-home' && each.queue === queue)
  const others = findings.flatMap(({ code, path }) => (code === 'seen-by-others' ? [path.at(-1)!] : []))
  const isReturning = findings.every(({ code }) => code !== 'never-returns')
  const codes = [...new Set<string>(findings.map(({ code }) => code))]
  return {
    queues: [...others, ...(isReturning ? [queue] : [])].sort(),
    outcomes: codes.length > 0 ? codes : ['comes home'],
  }
}

/** What a consumer does with a message that failed and may try again. */
async function fail(lab: TopologyLab, { queue, retry }: QueueFlow): Promise<void> {
  if (retry?.kind === 'publish') await lab.publish({ ...retry.tiers[0]!, body })
  else {
    await lab.publish({ key: queue, body })
    await lab.reject(queue)
  }
}

/** What it does with one that failed for the last time. */
async function park(lab: TopologyLab, { queue, park: rule }: QueueFlow): Promise<void> {
  if (rule?.kind === 'publish')
    await lab.publish({ exchange: rule.exchange, key: rule.key ?? 'any.key', body })
  else {
    await lab.publish({ key: queue, body })
    await lab.reject(queue)
  }
}

/** The queues where the message is once nothing waits any more. */
async function whereabouts(lab: TopologyLab, expected: readonly string[]): Promise<readonly string[]> {
  const isWait = ({ role }: CompiledQueue) => role === 'wait'
  for (const { name } of lab.wanted.queues.filter(isWait)) await lab.expire(name, delayMs + 1)
  const others = lab.wanted.queues.filter((queue) => !isWait(queue)).map(({ name }) => name)
  const seen = new Set<string>()
  const lookAgain = async () => {
    for (const [name, { bodies }] of await lab.look(others)) if (bodies.includes(body)) seen.add(name)
  }
  await eventually(async () => {
    await lookAgain()
    expect([...seen]).toEqual(expect.arrayContaining([...expected]))
  })
  await lookAgain()
  return [...seen].sort()
}

/** Which queues take a message that is published there, in the order in which they are declared. */
async function takenFrom(lab: TopologyLab, address: PublishAddress): Promise<readonly string[]> {
  const probe = `by ${address.exchange} to ${address.key}`
  await lab.publish({ ...address, body: probe })
  const at = await lab.look()
  return [...at].flatMap(([name, { bodies }]) => (bodies.includes(probe) ? [name] : []))
}
