import type { Finding } from '../../../packages/warrenmq/src/topology/prove/finding.ts'
import type { DeathReason } from '../../../packages/warrenmq/src/topology/prove/queue-settings.ts'
import {
  createGraph,
  type TopologyGraph,
} from '../../../packages/warrenmq/src/topology/prove/topology-graph.ts'
import { indexRoutes } from '../../../packages/warrenmq/src/topology/route.ts'
import type { Snapshot, TopologyLab } from './topology-lab.ts'

/** shown: it happened as the finding says. no-way: this rig has no means to bring it about. */
export type Provoked = 'shown' | 'not-shown' | 'no-way'

/** Makes happen what a finding says can happen, on a lab that is used for this alone. */
export async function provokeFinding(lab: TopologyLab, finding: Finding): Promise<Provoked> {
  const provoke = provokers[finding.code]
  if (provoke === undefined || finding.queue === undefined) return 'no-way'
  const at = finding.queue
  const outcome = await provoke({ lab, graph: createGraph(lab.wanted), finding, at })
  return outcome === undefined ? 'no-way' : outcome ? 'shown' : 'not-shown'
}

interface Scene {
  readonly lab: TopologyLab
  readonly graph: TopologyGraph
  readonly finding: Finding
  /** The queue of the finding. */
  readonly at: string
}

/** Whether it happened; undefined where this rig has no means. */
type Provoke = (scene: Scene) => Promise<boolean | undefined>

const subject = 'the message'

const provokers: Readonly<Partial<Record<Finding['code'], Provoke>>> = {
  'dead-letter-exchange-missing': loseDeadLetter,
  'dead-letter-unrouted': loseDeadLetter,
  'cut-cycle': goRoundAndBeCut,
  'uncounted-cycle': goRoundTwice,
  'at-most-once-hop': loseWithoutTarget,
  'classic-to-quorum-hop': loseWithoutTarget,
  'full-target-drops': loseAtFullTarget,
  'drop-head': (scene) => loseBy(scene, 'maxlen'),
  'ttl-deletes': (scene) => loseBy(scene, 'expired'),
  ttl: (scene) => loseBy(scene, 'expired'),
  'delivery-limit-drops': (scene) => loseBy(scene, 'delivery_limit'),
  'delivery-limit': (scene) => loseBy(scene, 'delivery_limit'),
  // With a dead-letter exchange it goes there, and not where the one who wrote -1 wanted it to stay.
  misread: async ({ lab, at }) => {
    await lab.send(at, subject)
    await lab.giveBack(at)
    return !queuesWith(await lab.look()).has(at)
  },
  'queue-expires': async ({ lab, graph, at }) => {
    // A quorum queue looks at its age every five seconds.
    await lab.pass((graph.settings(at).expiresMs ?? 0) + 10_000)
    return !(await lab.look()).has(at)
  },
  'not-durable': async ({ lab, at }) => {
    await lab.restart(1)
    return !(await lab.look()).has(at)
  },
  'auto-delete': async ({ lab, at }) => {
    await lab.visit(at)
    return !(await lab.look()).has(at)
  },
  'never-returns': async (scene) => !(await retryVisits(scene)).has(scene.at),
  'seen-by-others': async (scene) => (await retryVisits(scene)).has(scene.finding.path.at(-1) ?? ''),
  'park-misses-dlq': async (scene) =>
    !(await parkedIn(scene)).has(scene.graph.flow(scene.at)?.deadLetterQueue ?? ''),
}

const queuesWith = (snapshot: Snapshot, body = subject): ReadonlySet<string> =>
  new Set([...snapshot].flatMap(([name, { bodies }]) => (bodies.includes(body) ? [name] : [])))

/** Lets the broker take the subject out of a queue for a reason. Undefined where it cannot be made to. */
async function kill({ lab, graph }: Scene, queue: string, reason: DeathReason): Promise<true | undefined> {
  const { ttlMs, overflow, deliveryLimit } = graph.settings(queue)
  switch (reason) {
    case 'rejected':
      await lab.reject(queue)
      return true
    case 'expired':
      await lab.expire(queue, (ttlMs ?? expirationOf(lab, queue) ?? 0) + 1)
      return true
    case 'maxlen': {
      // Where the newest is turned away, it is not for the first to die.
      if (overflow !== 'drop-head') return undefined
      const length = Number(graph.queue(queue)?.arguments['x-max-length'] ?? 0)
      for (let index = 0; index < length; index += 1)
        await lab.publish({ key: queue, body: `filler ${index}` })
      return true
    }
    case 'delivery_limit':
      for (let time = 0; time <= (deliveryLimit ?? 0); time += 1) await lab.giveBack(queue)
      return true
  }
}

function expirationOf(lab: TopologyLab, queue: string): number | undefined {
  const of = lab.wanted.publications.find(({ key }) => key === queue)?.expiration
  return of === undefined ? undefined : Number(of)
}

async function loseBy(scene: Scene, reason: DeathReason): Promise<boolean | undefined> {
  await scene.lab.send(scene.at, subject)
  if ((await kill(scene, scene.at, reason)) === undefined) return undefined
  return queuesWith(await scene.lab.look()).size === 0
}

async function loseDeadLetter(scene: Scene): Promise<boolean | undefined> {
  const { lab, graph, finding, at } = scene
  const exchange = graph.settings(at).deadLetter?.exchange ?? ''
  const lostKey = graph.hopKeys(at).find((key) => graph.routes.route({ exchange, key }).length === 0)
  const address = entryWithKey(scene, lostKey ?? at)
  if (address === undefined) return undefined
  if (address.exchange === '') await lab.send(at, subject)
  else await lab.publish({ ...address, body: subject })
  const before = queuesWith(await lab.look())
  if (!before.has(at)) return undefined
  if ((await kill(scene, at, finding.path[1] as DeathReason)) === undefined) return undefined
  const after = queuesWith(await lab.look())
  return !after.has(at) && [...after].every((queue) => before.has(queue))
}

/** How a message gets into a queue with this key, from outside. */
function entryWithKey({ lab, graph, at }: Scene, key: string): { exchange: string; key: string } | undefined {
  if (graph.settings(at).deadLetter?.key !== undefined || key === at) return { exchange: '', key: at }
  const routes = indexRoutes(lab.wanted)
  const exchange = lab.wanted.exchanges.find(({ name }) =>
    routes.route({ exchange: name, key }).some(({ queue }) => queue === at),
  )
  return exchange && { exchange: exchange.name, key }
}

/** The queue and the reason of each hop in the path of a cycle. */
function hopsOf({ path }: Finding): readonly (readonly [string, DeathReason])[] {
  const hops: (readonly [string, DeathReason])[] = []
  for (let at = 0; at + 3 < path.length; at += 3) hops.push([path[at]!, path[at + 1] as DeathReason])
  return hops
}

async function copiesOf({ lab }: Scene): Promise<number> {
  return [...(await lab.look()).values()].flatMap(({ bodies }) => bodies).filter((body) => body === subject)
    .length
}

async function goRoundAndBeCut(scene: Scene): Promise<boolean | undefined> {
  const hops = hopsOf(scene.finding)
  if (!(await enterCycle(scene, hops))) return undefined
  for (const [queue, reason] of hops) {
    if (!queuesWith(await scene.lab.look()).has(queue)) return undefined
    if ((await kill(scene, queue, reason)) === undefined) return undefined
  }
  const isCut = !queuesWith(await scene.lab.look()).has(hops[0]?.[0] ?? '')
  // A second copy that came another way hides that the first was cut.
  return isCut || (await copiesOf(scene)) === 1 ? isCut : undefined
}

async function goRoundTwice(scene: Scene): Promise<boolean | undefined> {
  const hops = hopsOf(scene.finding)
  if (!(await enterCycle(scene, hops))) return undefined
  // What overflows a queue stays there and gets in the way of the second round, and so does a letter that a queue with
  // a limit sent to itself: 3.10 never forgets it.
  const isOnce = hops.some(
    ([queue, reason]) => reason === 'maxlen' || scene.graph.settings(queue).hasLengthLimit,
  )
  for (const [queue, reason] of isOnce ? hops : [...hops, ...hops]) {
    if (!queuesWith(await scene.lab.look()).has(queue)) return false
    if ((await kill(scene, queue, reason)) === undefined) return undefined
  }
  return queuesWith(await scene.lab.look()).has(scene.at)
}

/** Publishes the subject with a key that leads round, because a queue may dead-letter with the message's own. */
async function enterCycle(scene: Scene, hops: readonly (readonly [string, DeathReason])[]): Promise<boolean> {
  const { lab, graph, at } = scene
  const leadsRound = (first: string) => {
    let key = first
    // Twice, because the second time it comes with the key of the way round.
    return [...hops, ...hops].every(([queue], index) => {
      const hop = graph.settings(queue).deadLetter
      key = hop?.key ?? key
      const next = hops[(index + 1) % hops.length]?.[0]
      return graph.routes.route({ exchange: hop?.exchange ?? '', key }).some((route) => route.queue === next)
    })
  }
  const entries = [at, 'k', 'l', 'a', 'b.k'].filter(leadsRound).map((key) => entryWithKey(scene, key))
  const entry = entries.find((each) => each !== undefined)
  if (entry === undefined) return false
  if (entry.exchange === '') await lab.send(at, subject)
  else await lab.publish({ ...entry, body: subject })
  return true
}

/** A hop that does not wait for its target does not notice either that there is none. */
async function loseWithoutTarget(scene: Scene): Promise<boolean | undefined> {
  const { lab, finding, at } = scene
  const isKept = await keepsWithoutTarget(scene, finding.path[1] as DeathReason)
  return isKept === undefined || (await lab.look()).get(at)?.bodies.includes(subject) ? undefined : !isKept
}

/** Whether a dead letter stays in its queue when every other queue is gone. */
async function keepsWithoutTarget(scene: Scene, reason: DeathReason): Promise<boolean | undefined> {
  const { lab, at, graph } = scene
  if (graph.hopTargets(at).some(({ queue }) => queue === at)) return undefined
  await lab.send(at, subject)
  for (const { name } of lab.wanted.queues) if (name !== at) await lab.remove(name)
  if ((await kill(scene, at, reason)) === undefined) return undefined
  return (await lab.look()).get(at)?.stuck === 1
}

async function loseAtFullTarget(scene: Scene): Promise<boolean | undefined> {
  const { lab, graph, finding, at } = scene
  const full = finding.path.at(-2) ?? ''
  if (full === at) return undefined
  const length = Number(graph.queue(full)?.arguments['x-max-length'] ?? 0)
  await lab.send(at, subject)
  // It is filled at the last moment, because what fills it may expire, too.
  await lab.pass(Math.max(0, (graph.settings(at).ttlMs ?? expirationOf(lab, at) ?? 0) - 1))
  for (let index = 0; index < length; index += 1) await lab.publish({ key: full, body: `filler ${index}` })
  if ((await kill(scene, at, finding.path[1] as DeathReason)) === undefined) return undefined
  return !queuesWith(await lab.look()).has(full)
}

/** The queues with a consumer, and those that keep, that a retried message comes to before it is touched again. */
async function retryVisits({ lab, graph, at }: Scene): Promise<ReadonlySet<string>> {
  const retry = graph.flow(at)?.retry
  if (retry?.kind === 'reject') {
    await lab.publish({ key: at, body: subject })
    await lab.reject(at)
  } else for (const tier of retry?.tiers ?? []) await lab.publish({ ...tier, body: subject })
  const visited = new Set<string>()
  for (let tick = 0; tick < 8; tick += 1) {
    for (const queue of queuesWith(await lab.look()))
      if (graph.queue(queue)?.role !== 'wait') visited.add(queue)
    if (visited.size > 0) break
    await lab.pass(10)
  }
  return visited
}

async function parkedIn({ lab, graph, at }: Scene): Promise<ReadonlySet<string>> {
  const park = graph.flow(at)?.park
  if (park?.kind === 'publish')
    await lab.publish({ exchange: park.exchange, key: park.key ?? 'any', body: subject })
  else {
    await lab.publish({ key: at, body: subject })
    await lab.reject(at)
  }
  return queuesWith(await lab.look())
}
