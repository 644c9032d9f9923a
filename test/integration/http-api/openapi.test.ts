import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Approval,
  Discarded,
  MessagePage,
  OpenedSession,
  Receipt,
  Snapshot,
  Task,
  TopologyPlan,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { bindQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { eventually } from '../../support/eventually.ts'
import { purgeQueue } from '../../support/purge-queue.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
import { type AnyEndpoint, fittingRequest, type JsonSchema } from './fitting-request.ts'
import { askAndLeave } from './leave-streams.ts'
import { clientId, startOidcProvider } from './oidc-provider.ts'
import { openBrowser } from './oidc-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

interface Media {
  readonly schema: JsonSchema & { readonly contentMediaType?: string; readonly description?: string }
}
interface Operation {
  readonly 'x-permission': string
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content?: Readonly<Record<string, Media>> }>
  >
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const broker = await useApiBroker()
const folder = mkdtempSync(join(tmpdir(), 'warren-openapi-'))
const provider = await startOidcProvider()
const all = Object.entries(endpoints) as [string, AnyEndpoint][]
let rig: ApiRig
let document: Document

beforeAll(async () => {
  await broker.createAccount('second', { tag: 'administrator' })
  const bound = (key: string): TopologyDeclaration => ({
    layout: 'isolated',
    exchanges: { events: { type: 'topic' } },
    queues: { 'q.orders': { bind: [{ exchange: 'events', key }] } },
  })
  const oidc = {
    issuer: provider.issuer,
    audience: 'warren',
    clientId,
    publicUrl: 'http://localhost:15680',
    roles: { sre: 'operator' },
  }
  const server = { approval: { above: 3 }, backups: { folder }, auth: { oidc } }
  rig = await startApiRig({ ...broker, topology: bound('old'), declared: bound('new'), server })
  document = withoutNames((await rig.app.inject('/docs/json')).json())
})
afterAll(async () => {
  await rig.close()
  provider.close()
  rmSync(folder, { recursive: true, force: true })
})

/** With every named schema in the place of its name. */
function withoutNames(written: Document & { components: { schemas: Record<string, unknown> } }): Document {
  const { schemas } = written.components
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    if ($ref !== undefined) return resolve(schemas[$ref.replace('#/components/schemas/', '')])
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each)]))
  }
  return resolve(written) as Document
}

function operationOf({ method, path }: AnyEndpoint): Operation {
  return document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!
}

const namesOf = (schema: unknown) => Object.keys((schema as JsonSchema | undefined)?.properties ?? {})

it('the OpenAPI document has every endpoint, and nothing else', () => {
  const told = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  )
  const served = all.map(
    ([, { method, path }]) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  )

  expect(told.toSorted()).toEqual(served.toSorted())
})

describe.each(all)('OpenAPI of %s', (_, endpoint) => {
  it('says what goes in', () => {
    const { parameters = [], requestBody } = operationOf(endpoint)

    const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
    expect(named('path').toSorted()).toEqual(namesOf(endpoint.params).toSorted())
    expect(named('query').toSorted()).toEqual(namesOf(endpoint.query).toSorted())
    const mediaType = endpoint.body ? 'application/json' : endpoint.accepts?.mediaType
    expect(Object.keys(requestBody?.content ?? {})).toEqual(mediaType === undefined ? [] : [mediaType])
    if (endpoint.body)
      expect(namesOf(requestBody!.content[mediaType!]!.schema)).toEqual(namesOf(endpoint.body))
    if (endpoint.accepts)
      expect(requestBody!.content[mediaType!]!.schema).toEqual({
        contentMediaType: mediaType,
        description: endpoint.accepts.description,
      })
  })

  it('says who may', () => {
    expect(operationOf(endpoint)['x-permission']).toBe(endpoint.needs)
  })

  it('says what a problem looks like', () => {
    const { responses } = operationOf(endpoint)

    for (const status of ['4XX', '5XX'])
      expect(Object.keys(responses[status]?.content ?? {})).toEqual(['application/problem+json'])
  })

  it('is what a caller gets who says too little', async () => {
    const answer = await rig.app.inject({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/:\w+/g, 'x'),
    })

    const isOpen =
      endpoint.needs === 'anyone' &&
      endpoint.method === 'GET' &&
      endpoint !== endpoints.finishLogin &&
      endpoint !== endpoints.followLink
    expect(answer.statusCode < 400).toBe(isOpen)
    expectTold(endpoint, answer)
  })
})

const ajv = new Ajv2020({ strict: false })

/** The answer has a status, a media type and a body that the document tells of. */
function expectTold(
  endpoint: AnyEndpoint,
  answer: { statusCode: number; headers: Record<string, unknown>; body: string },
): void {
  const { responses } = operationOf(endpoint)
  const { statusCode, headers, body } = answer
  const response = responses[statusCode] ?? responses[`${Math.floor(statusCode / 100)}XX`]
  expect(response, `${endpoint.path} answers ${statusCode}: ${body}`).toBeDefined()
  const mediaType = String(headers['content-type'] ?? '').split(';')[0]!
  expect(Object.keys(response!.content ?? { '': undefined })).toContain(mediaType)
  expect(Object.hasOwn(response!.headers ?? {}, 'location') || headers.location === undefined).toBe(true)
  if (!mediaType.endsWith('json')) return
  const isValid = ajv.validate(response!.content![mediaType]!.schema, JSON.parse(body))
  expect(isValid, ajv.errorsText()).toBe(true)
}

/** Asks, and holds the answer against what is told of it. */
async function ask<Body>(
  name: keyof typeof endpoints,
  { params = {}, as, status, ...request }: Asked = {},
): Promise<Body> {
  const endpoint = endpoints[name] as AnyEndpoint
  const url = endpoint.path.replaceAll(/:(\w+)/g, (_, each: string) => encodeURIComponent(params[each]!))
  const headers = { ...(as ? broker.as(as) : broker.headers), ...request.headers }
  const answer = await rig.app.inject({ ...request, method: endpoint.method, url, headers })
  expect(answer.statusCode, answer.body).toBeLessThan(400)
  if (status !== undefined) expect(answer.statusCode).toBe(status)
  if (endpoint.waiting && answer.statusCode === 202) {
    const { kind, id } = answer.json<Approval | Task>()
    expect(answer.headers.location).toBe(`/api/v1/${kind === 'approval' ? 'approvals' : 'tasks'}/${id}`)
  }
  expectTold(endpoint, answer)
  asked.add(name)
  return (
    String(answer.headers['content-type']).startsWith('application/json') ? answer.json() : answer
  ) as Body
}
type Asked = InjectOptions & { params?: Record<string, string>; as?: string; status?: number }
const asked = new Set<string>()

const queue = 'q.orders.dlq'

async function fill(count: number): Promise<void> {
  const message = { key: queue, body: { at: 1 }, headers: { 'x-original-queue': 'q.orders' } }
  await rig.publish(Array.from({ length: count }, (_, at) => ({ ...message, messageId: `m-${at}` })))
}

/** CI tries a test twice: the second must find the queue and its binding as the first one did. */
async function startAnew(): Promise<void> {
  const channel = await rig.consuming.openChannel()
  await purgeQueue(channel, queue)
  await bindQueue(channel, { queue: 'q.orders', exchange: 'events', routingKey: 'old' })
  await channel.close()
}

it('every endpoint answers with what the document tells of it', async () => {
  const params = { queue }
  await startAnew()
  await fill(3)

  // What is read.
  for (const name of [
    'start',
    'isAlive',
    'isReady',
    'metrics',
    'myPermissions',
    'brokerState',
    'listDlqs',
  ] as const)
    await ask(name)
  for (const name of ['listCauses', 'showHistory', 'adminMessages'] as const) await ask(name, { params })
  for (const name of ['listHistory', 'adminQueues', 'listAudit', 'showTopology', 'showLiveTopology'] as const)
    await ask(name)
  for (const name of ['showProblems', 'listTraffic', 'listWebhooks'] as const) await ask(name)
  const page = await ask<MessagePage>('listMessages', { params })
  const { key } = page.items[0]!
  await ask('showMessage', { params: { queue, key } })
  const snapshot = await ask<Snapshot>('makeSnapshot', { params, payload: {}, status: 202 })
  const ofSnapshot = { queue, id: snapshot.id }
  await whenSnapshotDone(ofSnapshot)
  await ask('listSnapshots', { params })
  for (const name of ['listSnapshotCauses', 'listSnapshotFacets', 'showSnapshotHistogram'] as const)
    await ask(name, { params: ofSnapshot })
  await ask('listSnapshotMessages', { params: ofSnapshot })
  await ask('showSnapshotMessage', { params: { ...ofSnapshot, key } })
  await ask('watchSnapshot', { params: ofSnapshot })
  await ask('deleteSnapshot', { params: ofSnapshot, status: 204 })
  const { rawPayload } = await ask<{ rawPayload: Buffer }>('downloadBackup', { params })

  // What is done at once.
  const edited = await ask<Task>('editMessage', { params: { queue, key }, payload: {}, status: 202 })
  await whenEnded(edited.id)
  const receipt = await ask<Receipt>('showReceipt', { params: { id: edited.id } })
  await ask('verifyReceipt', { params, payload: { receipt } })
  await ask('writeNote', { params, payload: { text: 'Ann is on it.' }, status: 200 })
  await ask('acknowledgeTask', { params: { id: edited.id }, status: 200 })
  await ask('listNotes')
  await ask('removeNote', { params, status: 204 })
  await ask('planRedrive', { payload: { queue } })
  const { backup } = await ask<Discarded>('discardMessages', { params, payload: {}, status: 200 })
  await ask('listBackups')
  await ask('fetchBackup', { params: { id: backup.id } })
  await ask('restoreBackup', { payload: rawPayload, headers: { 'content-type': 'application/gzip' } })
  await ask('deleteBackup', { params: { id: backup.id }, query: { force: 'true' }, status: 204 })
  await ask('adminRedrive', { params, payload: { limit: 3 } })

  // What takes a while.
  await fill(3)
  const { id } = await ask<Task>('startRedrive', { payload: { queue, ratePerSecond: 1 }, status: 202 })
  for (const name of ['showTask', 'pauseTask', 'resumeTask', 'cancelTask'] as const)
    await ask(name, { params: { id } })
  await ask('listTasks')
  await leaveEvents()
  await whenEnded(id)

  // What waits for a second person.
  await fill(4)
  const { digest } = await ask<TopologyPlan>('planTopology')
  const redrive = await ask<Approval>('startRedrive', { payload: { queue }, status: 202 })
  const discard = await ask<Approval>('discardMessages', { params, payload: {}, status: 202 })
  const apply = await ask<Approval>('applyTopology', {
    payload: { plan: digest, allowDisruptive: true },
    status: 202,
  })
  await ask('listApprovals')
  await ask('showApproval', { params: { id: redrive.id } })
  await ask('refuseApproval', { params: { id: discard.id } })
  await ask('grantApproval', { params: { id: apply.id }, as: 'second', status: 202 })
  await ask('applyTopology', {
    payload: { plan: (await ask<TopologyPlan>('planTopology')).digest },
    status: 200,
  })

  // A browser.
  const payload = { username: broker.username, password: broker.password }
  const answer = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload })
  expectTold(endpoints.openSession, answer)
  asked.add('openSession')
  const [cookie] = String(answer.headers['set-cookie']).split(';')
  const headers = { cookie: cookie!, 'x-csrf-token': answer.json<OpenedSession>().csrfToken }
  await ask('showSession', { headers, status: 200 })
  await ask('closeSession', { headers, status: 204 })
  for (const name of ['listLoginWays', 'leaveProvider'] as const) await ask(name)
  await ask('beginLogin', { status: 302 })
  expectTold(endpoints.finishLogin, await openBrowser(rig).logIn())
  asked.add('finishLogin')

  // What only another command has.
  for (const name of ['followLink', 'showDemo', 'turnDemoClock', 'mendDemo'] as const) {
    const endpoint = endpoints[name] as AnyEndpoint
    const fitting = fittingRequest(endpoint, queue)
    const refused = await rig.app.inject({ ...fitting, headers: { ...fitting.headers, ...broker.headers } })
    expect(refused.statusCode, refused.body).toBe(404)
    expectTold(endpoint, refused)
    asked.add(name)
  }

  expect(Object.keys(endpoints).filter((name) => !asked.has(name))).toEqual([])
})

/** It comes to no end by itself. */
async function leaveEvents(): Promise<void> {
  const { method, path } = endpoints.watchEvents
  const { status, headers, body } = await askAndLeave(rig, { method, url: path, headers: broker.headers })
  expectTold(endpoints.watchEvents, { statusCode: status, headers, body })
  expect(status).toBe(200)
  asked.add('watchEvents')
}

async function whenSnapshotDone(params: { readonly queue: string; readonly id: string }): Promise<void> {
  await eventually(async () => {
    expect((await ask<Snapshot>('showSnapshot', { params })).state).toBe('done')
  })
}

async function whenEnded(id: string): Promise<void> {
  await ask('watchTask', { params: { id } })
}
