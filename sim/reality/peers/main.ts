import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ProfileName } from '../../../packages/warrenmq/src/embedded/model/profile.ts'
import { startRabbitNode } from '../../../test/support/start-rabbit-node.ts'
import type { FaultKind } from '../../nemesis/faults.ts'
import { createRandom } from '../../world/random.ts'
import { appendCampaign } from '../append-campaign.ts'
import { buildClient } from '../build-client.ts'
import { createMortalNode } from '../mortal-node.ts'
import { planWave } from '../plan-world.ts'
import { type Mover, openMover } from './mover.ts'
import { participants } from './participants.ts'
import { strikeMovers } from './strike-movers.ts'

// Everybody moves messages of the same kind at the same time on the same node, and suffers the same faults.

const { values } = parseArgs({
  options: {
    version: { type: 'string', default: '4.3' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    append: { type: 'string' },
  },
})

const kinds: readonly FaultKind[] = [
  ...Array.from({ length: 8 }, () => 'cut' as const),
  ...(['black-hole', 'stall', 'stall', 'slow', 'pause', 'pause', 'broker-pause', 'broker-pause'] as const),
  ...(['kill', 'kill', 'broker-crash', 'broker-crash', 'refuse', 'target-full'] as const),
]

const version = values.version as ProfileName
const seed = Number(values.seed)
const folder = mkdtempSync(join(tmpdir(), 'warren-peers-'))
const script = await buildClient(folder, 'sim/reality/peers/warren.ts', 'warren.mjs')
const node = await startRabbitNode({ version, plugins: ['rabbitmq_shovel'] })
const broker = createMortalNode(node)
const movers: Mover[] = []
const startedAt = performance.now()
try {
  for (const participant of participants)
    movers.push(await openMover(participant, { node, seed, warrenScript: script }))
  await broker.syncRegistrations()
  await sleep(1_000)
  for (const mover of movers) await mover.begin()
  const random = createRandom(seed)
  const endAt = performance.now() + Number(values.seconds) * 1000
  for (let wave = 0; performance.now() < endAt; wave += 1) {
    const beganAt = performance.now()
    for (const fault of planWave({ random }, { wave, kinds })) {
      await sleep(Math.max(0, beganAt + fault.atMs - performance.now()))
      strikeMovers(fault, { movers, broker })
    }
    await sleep(random.fork(`rest ${wave}`).between(100, 900))
  }
  await broker.settled()
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const ends = await Promise.all(movers.map((mover) => mover.finish()))
  for (const [index, end] of ends.entries()) {
    const { name: participant, settings } = participants[index]!
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const place = {
      participant,
      where: version,
      version: node.version,
      nodes: 1,
      commit,
      seeds: [seed, seed] as const,
    }
    const campaign = { ...place, rounds: 1, seconds, ...end, settings, violations: [] }
    console.log(JSON.stringify(campaign))
    if (values.append) appendCampaign(values.append, campaign)
  }
} finally {
  for (const mover of movers) mover.destroy()
  await broker.destroy()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
