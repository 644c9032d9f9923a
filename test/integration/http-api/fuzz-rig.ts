import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { expect, onTestFinished } from 'vitest'
import { permissionsOf } from '../../../packages/cli/src/http-api/auth/decide-role.ts'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type { Role } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { outlast } from '../../support/outlast.ts'
import { purgeQueue } from '../../support/purge-queue.ts'
import { type ApiRig, setUpApi } from './api-rig.ts'
import type { AnyEndpoint } from './fitting-request.ts'
import { type Fuzzed, requestTo } from './fuzz-requests.ts'
import { askFor } from './leave-streams.ts'
import { clientId, startOidcProvider } from './oidc-provider.ts'
import { tellProgress } from './tell-progress.ts'

const all = Object.values(endpoints) as AnyEndpoint[]
const names = Object.keys(endpoints)
const seed = Number(process.env.WARREN_HTTP_FUZZ_SEED ?? 7_919)

/** The queue that most requests are about. */
export const fuzzedQueue = 'fuzzed.dlq'

/** The most messages that a server lets one person move. */
const mostAlone = 5

const requests = Number(process.env.WARREN_HTTP_FUZZ_RUNS ?? 20_000)

/** Rounds of one request to each endpoint. Another run: WARREN_HTTP_FUZZ_RUNS=100000 WARREN_HTTP_FUZZ_SEED=1. */
export const fuzzRounds: number = Math.ceil(requests / all.length)

/** Longer than the server waits for anything: who has no answer by then gets none. */
const mostPatientMs = 300_000

/** Long enough for a busy machine, however few or many there are. */
export const fuzzTimeout: number = 120_000 + requests * 50

/** A server to which anything may be said. */
export interface FuzzRig extends ApiRig {
  readonly about: Fuzzed
  /** Endpoints that did what they were asked at least once. */
  readonly reached: Set<string>
  /** How many requests each endpoint was asked. */
  readonly sent: Map<string, number>
  ask(request: InjectOptions, by: Asking): Promise<Answer>
}

/** Which endpoint is asked, and by whom. */
interface Asking {
  readonly at: number
  readonly caller: Caller
}

/** A stranger shows nothing, a forger a token that nobody gave out. */
type Caller = Role | 'stranger' | 'forger'

const roles = ['admin', 'operator', 'viewer'] as const
/** Who asks in which round: only an admin gets far enough for all there is to break. */
const callers: readonly Caller[] = [
  'admin',
  'operator',
  'admin',
  'viewer',
  'admin',
  'stranger',
  'admin',
  'forger',
]

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

export async function setUpFuzz(broker: { url: string; managementUrl: string }): Promise<FuzzRig> {
  const folder = mkdtempSync(join(tmpdir(), 'warren-fuzz-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const tokens = {
    admin: createToken(),
    operator: createToken(),
    viewer: createToken(),
    forger: createToken(),
  }
  const provider = await startOidcProvider()
  onTestFinished(() => provider.close())
  const oidc = {
    issuer: provider.issuer,
    audience: 'warren',
    clientId,
    publicUrl: 'http://localhost:15680',
    roles: { sre: 'operator' },
  }
  const rig = await setUpApi({
    ...broker,
    declared: { queues: { 'fuzzed.orders': { retry: { delays: ['5s'] } } } },
    server: {
      approval: { above: mostAlone },
      backups: { folder },
      limits: { viewerChanges: 1_000_000 }, // so that requests of viewers come to the routes
      auth: {
        tokens: roles.map((role) => ({ name: `fuzz-${role}`, role, hash: tokens[role].hash })),
        oidc,
      },
    },
  })
  await rig.declareDlq(fuzzedQueue)
  await fill(rig)
  const credentials = (caller: Caller) =>
    caller === 'stranger' ? {} : { authorization: `Bearer ${tokens[caller].token}` }
  const { rawPayload: backup } = await rig.app.inject({
    url: `/api/v1/dlqs/${fuzzedQueue}/backup`,
    headers: credentials('admin'),
  })
  const sent = new Map<string, number>()
  let count = 0
  return {
    ...rig,
    sent,
    reached: new Set(),
    about: { queue: fuzzedQueue, backup, known: {} },
    ask: (request, { at, caller }) => {
      sent.set(names[at]!, (sent.get(names[at]!) ?? 0) + 1)
      count += 1
      // Wrong credentials are counted by address.
      const remoteAddress = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
      const asked = { ...request, remoteAddress, headers: { ...request.headers, ...credentials(caller) } }
      return ask(rig, all[at]!, asked)
    },
  }
}

/**
 * Some of the requests take messages away, and backups that are put back add some: with more than one person may move,
 * every right re-drive would be refused from then on.
 */
async function keepShallow(rig: ApiRig, depth: number): Promise<void> {
  if (depth > mostAlone) {
    const channel = await rig.consuming.openChannel()
    await purgeQueue(channel, fuzzedQueue)
    await channel.close()
  }
  if (depth < 3 || depth > mostAlone) await fill(rig)
}

const fill = ({ publish }: ApiRig) =>
  publish([1, 2, 3].map((at) => ({ key: fuzzedQueue, body: { at }, messageId: `m-${at}` })))

async function ask(rig: ApiRig, endpoint: AnyEndpoint, request: InjectOptions): Promise<Answer> {
  const { status, headers, body } = await askFor(rig, endpoint, request)
  return { status, type: String(headers['content-type']), body }
}

interface Check extends Asking {
  readonly request: InjectOptions
  readonly mayFailWith: readonly string[]
}

async function checkAnswer(rig: FuzzRig, { request, at, caller, mayFailWith }: Check): Promise<void> {
  const { status, type, body } = await rig.ask(request, { at, caller })

  if (status >= 500) {
    const { code } = JSON.parse(body) as { code: string }
    expect([status, mayFailWith], body).toEqual([503, expect.arrayContaining([code])])
  }
  if (status < 400) {
    expect([names[at], caller, mayAsk(caller, all[at]!)]).toEqual([names[at], caller, true])
    rig.reached.add(names[at]!)
    learnNames(rig.about.known, body)
    return
  }
  expect(type).toMatch(/^application\/problem\+json/)
  expect(JSON.parse(body)).toMatchObject({ status, code: expect.any(String) })
  expect(body).not.toMatch(/node_modules|\.ts:\d|\bat [\w.]+ \(/)
  expect(body).not.toContain(tmpdir())
}

function mayAsk(caller: Caller, { needs }: AnyEndpoint): boolean {
  if (needs === 'anyone') return true
  if (caller === 'stranger' || caller === 'forger') return false
  return needs === 'known' || permissionsOf(caller).includes(needs)
}

function learnNames(known: Fuzzed['known'], body: string): void {
  for (const field of ['id', 'key']) {
    const told = [...body.matchAll(new RegExp(`"${field}":"([0-9a-f-]{32,36})"`, 'g'))]
    known[field] = [...told.slice(0, 50).map(([, name]) => name!), ...(known[field] ?? [])].slice(0, 200)
  }
}

interface FuzzOptions {
  readonly rounds: number
  readonly depth: () => Promise<number | undefined>
  /** Codes of a 503 that say nothing against the server. @default none */
  readonly mayFailWith?: readonly string[]
}

/** Sends so many requests to each endpoint, and sees that each is answered as it should be. */
export async function fuzz(rig: FuzzRig, { rounds, depth, mayFailWith = [] }: FuzzOptions): Promise<void> {
  const round = fc.tuple(...all.map((endpoint) => requestTo(endpoint, rig.about)))
  const tell = tellProgress('rounds of one request to each endpoint', rounds)
  let number = 0
  await fc.assert(
    fc.asyncProperty(round, async (requests) => {
      await keepShallow(rig, (await depth())!)
      const caller = callers[number++ % callers.length]!
      await askAtOnce(rig, { requests, caller, mayFailWith })
      tell(number)
    }),
    { numRuns: rounds, seed, endOnFailure: true, reporter: (result) => reportRound(result, rounds) },
  )
}

interface Round extends Pick<Check, 'caller' | 'mayFailWith'> {
  readonly requests: readonly InjectOptions[]
}

/** One to each endpoint, all at once: they meet each other on the same queue. Tells of all that went wrong. */
async function askAtOnce(rig: FuzzRig, { requests, ...check }: Round): Promise<void> {
  const unanswered = new Set<number>(requests.keys())
  const wrong: string[] = []
  const asked = requests.map(async (request, at) => {
    try {
      await checkAnswer(rig, { request, at, ...check })
    } catch (error) {
      wrong.push(`${nameOf(request, { at, ...check })}\n${(error as Error).message}`)
    }
    unanswered.delete(at)
  })
  await outlast(Promise.all(asked), mostPatientMs)
  for (const at of unanswered) wrong.push(`${nameOf(requests[at]!, { at, ...check })}\nwas not answered.`)
  if (wrong.length > 0) throw new Error(wrong.join('\n\n'))
}

function nameOf({ method, url, payload }: InjectOptions, { at, caller }: Asking): string {
  const body = payload === undefined ? '' : ` ${String(payload as string | Buffer).slice(0, 500)}`
  return `${names[at]} by ${caller}: ${method} ${String(url)}${body}`
}

type RoundsRun = Pick<fc.RunDetails<unknown>, 'failed' | 'errorInstance' | 'numRuns'>

/** The requests of a whole round would fill screens; which of them it was stands in the error. */
function reportRound({ failed, errorInstance, numRuns }: RoundsRun, rounds: number): void {
  if (!failed) return
  const again = `WARREN_HTTP_FUZZ_RUNS=${requests} WARREN_HTTP_FUZZ_SEED=${seed}`
  const { message } = errorInstance as Error
  throw new Error(`In round ${numRuns} of ${rounds} (${again}):\n${message}`, { cause: errorInstance })
}
