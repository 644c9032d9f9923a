import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { declareQueue, deleteQueue } from '../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../packages/warrenmq/src/broker/amqp/session.ts'
import { brokerCapabilities } from '../packages/warrenmq/src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../packages/warrenmq/src/message/broker-version.ts'
import { Publisher } from '../packages/warrenmq/src/publisher/publisher.ts'
import type { FieldTable } from '../packages/warrenmq/src/wire/field-value.ts'
import { type PlainTable, toFieldTable } from '../packages/warrenmq/src/wire/plain-fields.ts'
import { type RabbitNode, startRabbitNode } from '../test/support/start-rabbit-node.ts'
import { type Bench, benches, type Participant, type Target } from './benches.ts'
import { meanOverVersions, type Result } from './mean-over-versions.ts'
import { type Report, runScript } from './run-script.ts'

interface Document {
  readonly machine: Readonly<Record<string, unknown>>
  readonly versions: Readonly<Record<string, string>>
  readonly results: readonly Result[]
}

const mostTries = 5
const settleMs = 2_000

let node: RabbitNode
const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string' },
    messages: { type: 'string' },
    /** One after the other, e.g. 3.10,4.0,4.3; each on a node of its own. */
    versions: { type: 'string' },
    /** Files that --json has written, instead of running anything. */
    summary: { type: 'boolean', default: false },
  },
})
if (flags.summary) {
  const results = wanted.flatMap(readResults)
  report({ machine: describeMachine(), versions: {}, results })
} else await measure()

/** A document of one version: its results need not say which. */
function readResults(file: string): readonly Result[] {
  const { versions, results } = JSON.parse(readFileSync(file, 'utf8')) as Document
  return results
    .filter(({ rabbitmq = '' }) => !rabbitmq.startsWith('mean of'))
    .map((result) => ({ ...result, rabbitmq: result.rabbitmq ?? versions.rabbitmq }))
}

async function measure(): Promise<void> {
  const chosen = benches.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  const unknown = wanted.filter((name) => !benches.some((bench) => bench.name === name))
  if (unknown.length > 0) {
    const known = benches.map(({ name }) => name).join(', ')
    process.stderr.write(`There is no bench "${unknown.join('", "')}". Known are ${known}.\n`)
    process.exit(2)
  }
  const measured: string[] = []
  const results: Result[] = []
  for (const version of flags.versions?.split(',') ?? [undefined]) {
    node = await startRabbitNode({ plugins: ['rabbitmq_shovel'], ...(version !== undefined && { version }) })
    try {
      process.stderr.write(`RabbitMQ ${node.version}\n`)
      measured.push(node.version)
      for (const bench of chosen) results.push(...(await runBench(bench)))
    } finally {
      await node.destroy()
    }
  }
  report({ machine: describeMachine(), versions: describeVersions(measured), results })
}

function report(document: Document): void {
  const results = [...document.results, ...meanOverVersions(document.results, benches)]
  if (flags.json) process.stdout.write(`${JSON.stringify({ ...document, results }, null, 2)}\n`)
  else tell(results)
  process.exitCode = results.every(({ meets }) => meets) ? 0 : 1
}

/** Rounds in which everybody runs once, one after the other, so that a busy moment of the machine hits all. */
async function runBench(bench: Bench): Promise<readonly Result[]> {
  const runs = flags.runs ? Number(flags.runs) : bench.runs
  const results: Result[] = []
  for (const queueType of bench.queueTypes) {
    const name = bench.queueTypes.length > 1 ? `${bench.name} ${queueType}` : bench.name
    process.stderr.write(`${name}: ${bench.what}; ${runs} rounds\n`)
    const rounds: Map<string, Report>[] = []
    for (let round = 0; round < runs; round += 1) rounds.push(await runRound(bench, queueType))
    results.push(
      ...bench.targets.map((target) => compare({ name, ours: bench.participants[0]!.name, target, rounds })),
    )
  }
  return results
}

async function runRound(bench: Bench, queueType: string): Promise<Map<string, Report>> {
  const reports = new Map<string, Report>()
  for (const participant of bench.participants) {
    const report = await runParticipant(bench, participant, queueType)
    reports.set(participant.name, report)
    process.stderr.write(`  ${participant.name.padEnd(18)} ${describeReport(report)}\n`)
  }
  return reports
}

/** One that measures a single read or page moves no messages. */
function describeReport(report: Report): string {
  const { seconds, messagesPerSecond, cpuMicrosPerMessage, peakMemoryMiB, frameSeconds } = report
  const memory = `${Math.round(peakMemoryMiB)} MiB`
  const frame = frameSeconds === undefined ? '' : `  ${(1_000 * frameSeconds).toFixed(1)} ms a frame`
  if (messagesPerSecond === 0) return `${(1_000 * seconds).toFixed(2)} ms  ${memory}${frame}`
  const cpu = `${cpuMicrosPerMessage.toFixed(1)} µs CPU`
  return `${Math.round(messagesPerSecond)}/s  ${cpu}  ${memory}${brokerShare(report)}`
}

function brokerShare({ brokerCpuMicrosPerMessage: micros }: Report): string {
  return micros === undefined ? '' : `  ${micros.toFixed(1)} µs CPU of the broker`
}

async function runParticipant(
  bench: Bench,
  { script, messages: own }: Participant,
  queueType: string,
): Promise<Report> {
  // Fewer for a quick run, and never more than a participant takes.
  const most = flags.messages ? Number(flags.messages) : bench.messages
  const messages = own === undefined ? most : Math.min(own, flags.messages ? most : own)
  const queue = `bench-${script}`
  const target = `${queue}-target`
  const managementUrl = Object.assign(new URL(node.managementUrl), {
    username: node.username,
    password: node.password,
  }).href
  const sizes = { messages, window: 1000, prefetch: 1000, bodyBytes: 1024 }
  const task = { url: node.amqpUrl, managementUrl, queue, target, ...sizes }
  const isSampled = bench.targets.some(({ metric }) => metric === 'brokerCpuMicrosPerMessage')
  const run = { script, task, sampleBroker: isSampled ? sampleBroker : undefined }
  if (queueType === 'none') return runScript(run)
  const queues = bench.hasTarget ? [queue, target] : [queue]
  return tryAgain(async () => {
    await withSession(async (session) => {
      await declareAnew(session, { queues, queueType })
      if (bench.isFilledFirst)
        await fill({ session, queue, messages, hasFailures: bench.isFilledWithFailures })
    })
    const report = await runScript(run)
    await withSession((session) => deleteAll(session, queues))
    return report
  })
}

/**
 * Right after a hard day's work a broker may take too long over a quorum queue, and closes a connection with 541, be it
 * ours or a participant's. What was measured then says nothing of anybody: it is forgotten, and the participant runs again.
 */
async function tryAgain(work: () => Promise<Report>): Promise<Report> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries === mostTries) throw error
      process.stderr.write(`  ${(error as Error).message} Tried again.\n`)
      await sleep(settleMs)
    }
  }
}

async function withSession(work: (session: Session) => Promise<void>): Promise<void> {
  const session = await Session.open(node.amqpUrl, { name: 'bench' })
  try {
    await work(session)
  } finally {
    await session.close()
  }
}

/** Without what a participant that failed has left in them. */
async function declareAnew(
  session: Session,
  { queues, queueType }: { readonly queues: readonly string[]; readonly queueType: string },
): Promise<void> {
  await deleteAll(session, queues)
  const channel = await session.openChannel()
  for (const queue of queues) await declareQueue(channel, { queue, arguments: argumentsOf(queueType) })
}

async function deleteAll(session: Session, queues: readonly string[]): Promise<void> {
  const channel = await session.openChannel()
  for (const queue of queues) await deleteQueue(channel, queue)
}

/** What the runtime system of the broker has used with all its threads, whatever kind of node it is. */
async function sampleBroker(): Promise<number> {
  const millis = await node.rabbitmqctl('eval', 'element(1, erlang:statistics(runtime)).')
  return Number(millis.trim()) * 1000
}

/** Without a delivery limit: Warren takes no message from a queue that could delete it. */
function argumentsOf(queueType: string): FieldTable {
  const { supportsUnlimitedDeliveryLimit } = brokerCapabilities(parseBrokerVersion(node.version))
  const isUnlimited = queueType === 'quorum' && supportsUnlimitedDeliveryLimit
  return toFieldTable({ 'x-queue-type': queueType, ...(isUnlimited && { 'x-delivery-limit': -1 }) })
}

async function fill(fields: {
  session: Session
  queue: string
  messages: number
  hasFailures: boolean | undefined
}): Promise<void> {
  const { session, queue, messages, hasFailures = false } = fields
  const publisher = new Publisher(session)
  const body = Buffer.alloc(1024, 'warren ')
  for (let index = 0; index < messages; index += 1) {
    if (publisher.pendingCount >= 1000) await publisher.room()
    void publisher.publish({ key: queue, body, ...(hasFailures && { headers: failureOf(index) }) })
  }
  await publisher.close()
}

/** What Warren writes into a message that it parks: one of twenty causes, each with numbers of its own. */
function failureOf(index: number): PlainTable {
  return {
    'x-original-queue': `billing.orders-${index % 5}`,
    'warren-reason': 'attempts-exhausted',
    'warren-error-type': 'TimeoutError',
    'x-final-error': `no answer from 10.0.${index % 250}.7:5432 after ${index} ms (${index % 4} tries left)`,
    'warren-attempts': 6,
    'warren-first-failed-at': '2026-01-01T00:00:00.000Z',
    'warren-last-failed-at': new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
  }
}

function compare(fields: {
  name: string
  ours: string
  target: Target
  rounds: readonly Map<string, Report>[]
}): Result {
  const { name, ours, target, rounds } = fields
  const runs = rounds.map((round) => {
    const mine = round.get(ours)![target.metric]!
    if (target.against === ours) return Number(mine.toFixed(3))
    const theirs = round.get(target.against)![target.metric]!
    return Number((target.metric === 'peakMemoryMiB' ? mine - theirs : mine / theirs).toFixed(3))
  })
  const ratio = median(runs)
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target
  return {
    bench: name,
    rabbitmq: node.version,
    against: target.against,
    metric: target.metric,
    ratio,
    target:
      target.atLeast !== undefined
        ? `>= ${atLeast}`
        : target.atMost !== undefined
          ? `<= ${atMost}`
          : 'told only',
    meets: ratio >= atLeast && ratio <= atMost,
    runs,
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

function describeMachine(): Record<string, unknown> {
  return { cores: cpus().length, cpu: cpus()[0]?.model.trim(), memoryGiB: Math.round(totalmem() / 2 ** 30) }
}

function describeVersions(measured: readonly string[]): Record<string, string> {
  const versionOf = (name: string): string => {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  }
  return {
    rabbitmq: measured.join(', '),
    node: process.version,
    amqplib: versionOf('amqplib'),
    'rabbitmq-client': versionOf('rabbitmq-client'),
  }
}

function tell(results: readonly Result[]): void {
  for (const { bench, rabbitmq, against, metric, ratio, target, meets } of results) {
    const what = [bench.padEnd(16), metric.padEnd(25), `vs ${against}`.padEnd(28)]
    const line = [meets ? 'ok ' : 'NO ', ...what, ratio.toFixed(2).padStart(6), target.padEnd(10), rabbitmq]
    process.stdout.write(`${line.join(' ')}\n`)
  }
}
