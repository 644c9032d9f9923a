import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { startCluster } from '../../test/support/start-cluster.ts'
import { startRabbitNode } from '../../test/support/start-rabbit-node.ts'
import { appendCampaign } from './append-campaign.ts'
import { buildClient } from './build-client.ts'
import { CampaignBook } from './campaign.ts'
import { createMortalCluster } from './mortal-cluster.ts'
import { createMortalNode } from './mortal-node.ts'
import { runStorm } from './storm.ts'
import { Tally } from './tally.ts'

const { values } = parseArgs({
  options: {
    version: { type: 'string', default: '4.3' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    storm: { type: 'string', default: '120' },
    nodes: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
    append: { type: 'string' },
  },
})

const profile = values.version as ProfileName
// A new seed each time, unless one is asked for: the campaign is to explore.
const firstSeed = Number(values.seed ?? Math.floor(Date.now() / 1000) % 10_000_000)
const folder = mkdtempSync(join(tmpdir(), 'warren-reality-'))
const script = await buildClient(folder, 'sim/reality/client.ts', 'client.mjs')
const nodes = Number(values.nodes)
const wanted = { version: profile, deadLetterResendMs: 1_000 }
// As RabbitMQ's own tests have it: a node that is cut off from most others stops until it is back.
const config = { cluster_partition_handling: 'pause_minority' }
const broker =
  nodes === 1
    ? createMortalNode(await startRabbitNode(wanted))
    : createMortalCluster(await startCluster({ ...wanted, nodes, config }))
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const where = nodes === 1 ? values.version : `cluster of ${nodes}, ${values.version}`
const book = new CampaignBook({ where, version: broker.version, nodes, commit, firstSeed })
let problem: unknown
try {
  const endAt = performance.now() + Number(values.minutes) * 60_000
  const worlds = Number(values.worlds)
  for (let seed = firstSeed; performance.now() < endAt; seed += worlds) {
    const seeds = Array.from({ length: worlds }, (_, index) => seed + index)
    const leftMs = endAt - performance.now()
    const stormMs = Math.max(5_000, Math.min(Number(values.storm) * 1000, leftMs))
    const tally = new Tally()
    book.add(await runStorm({ broker, profile, seeds, stormMs, tally, script, folder }), tally)
    // Whatever ends this process, the rounds that were judged are there.
    if (values.append) appendCampaign(values.append, book.result())
    if (!values.json) console.log(JSON.stringify(book.result()))
  }
} catch (error) {
  // A node that does not start says nothing about messages. What was judged before still counts.
  problem = error
} finally {
  await broker.destroy()
  if (!process.env.WARREN_REALITY_KEEP) rmSync(folder, { recursive: true, force: true })
}
const result = book.result()
if (values.json) console.log(JSON.stringify(result))
for (const { seed, rule, detail } of result.violations) console.error(`seed ${seed}, ${rule}: ${detail}`)
if (problem) console.error(problem)
// A promise was broken, or the campaign could not go on.
process.exit(result.violations.length > 0 ? 1 : problem ? 3 : 0)
