import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { expect, it, onTestFinished } from 'vitest'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()

/** What a user writes. Lines that must not compile say so. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'

type Schemas = components['schemas']

interface Order {
  readonly baseUrl: string
  readonly token: string
  readonly queue: string
  readonly key: string
}

export async function putBack({ baseUrl, token, queue, key }: Order): Promise<object> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const me = await client.GET('/api/v1/my/permissions')
  if (!me.data?.permissions.includes('dlq:redrive')) throw new Error('This token may not re-drive.')

  const { data: dlqs } = await client.GET('/api/v1/dlqs')
  const depth: number | null | undefined = dlqs?.items.find((each) => each.queue === queue)?.messages
  const page = await client.GET('/api/v1/dlqs/{queue}/messages', { params: { path: { queue } } })
  const ids: readonly (string | null)[] | undefined = page.data?.items.map(({ id }) => id)

  const plan = await client.POST('/api/v1/redrives/plan', { body: { queue } })
  if (plan.error) throw new Error(plan.error.detail)
  const targets: readonly Schemas['PlannedTarget'][] = plan.data.targets

  const start = () =>
    client.POST('/api/v1/redrives', {
      body: { queue, reason: 'The bug is mended.' },
      params: { header: { 'idempotency-key': key } },
    })
  const { data: started, error } = await start()
  if (error) throw new Error(error.code === 'RECOVERY_LOCKED' ? 'Somebody else is at it.' : error.detail)
  if (started.kind === 'approval') throw new Error(\`\${started.by} has to wait for a second person.\`)
  const again = await start()

  const params = { path: { id: started.id } }
  await client.GET('/api/v1/tasks/{id}/events', { params, parseAs: 'text' })
  const { data: task } = await client.GET('/api/v1/tasks/{id}', { params })
  const { data: receipt } = await client.GET('/api/v1/tasks/{id}/receipt', { params })
  const proved: number | undefined = receipt?.targets[0]?.moved
  const kept: readonly Schemas['Receipt']['keptBecause'][number][] | undefined = receipt?.keptBecause

  const unknown = await client.GET('/api/v1/tasks/{id}', { params: { path: { id: key } } })
  return {
    ...{ depth, ids, moving: plan.data.moving, target: targets[0]?.target, again: again.data?.id === started.id },
    ...{ state: task?.state, moved: receipt?.moved, isBalanced: receipt?.isBalanced, proved, kept },
    unknown: unknown.error?.code,
  }
}

export async function mistakes(baseUrl: string): Promise<void> {
  const client = createClient<paths>({ baseUrl })
  // @ts-expect-error: the field is "limit"
  const request: Schemas['RedriveRequest'] = { queue: 'dlq', limt: 3 }
  await client.POST('/api/v1/redrives', { body: request })
  // @ts-expect-error: a field that is not to be sent is left out
  await client.POST('/api/v1/redrives', { body: { queue: 'dlq', limit: undefined } })
  // @ts-expect-error: a queue must be named
  await client.GET('/api/v1/dlqs/{queue}/messages', { params: { query: { limit: 5 } } })
  const { data, error } = await client.GET('/api/v1/approvals/{id}', { params: { path: { id: 'x' } } })
  if (data?.asks.action === 'redrive') data.asks.request.queue.length
  // @ts-expect-error: only a discard names the queue beside its request
  if (data?.asks.action === 'apply') data.asks.queue.length
  // @ts-expect-error: a look at an approval never ends so
  if (error?.code === 'API_PLAN_CHANGED') throw new Error(error.detail)
}
`

/** Below the repository, so that its packages are found. */
function createFolder(): string {
  const cache = join(import.meta.dirname, '../../../.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'generated-client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Compiles the program with the types of the document, and gives what the compiler has to say. */
async function compile(folder: string, document: object): Promise<readonly string[]> {
  writeFileSync(join(folder, 'api.ts'), astToString(await openapiTS(document as never)))
  writeFileSync(join(folder, 'program.ts'), program)
  const { ES2022: target } = ts.ScriptTarget
  const compiled = ts.createProgram([join(folder, 'program.ts')], {
    target,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  })
  const { diagnostics } = compiled.emit()
  return [...ts.getPreEmitDiagnostics(compiled), ...diagnostics].map(({ file, start = 0, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${file?.fileName.split('/').at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}

interface Client {
  putBack(order: { baseUrl: string; token: string; queue: string; key: string }): Promise<object>
}

it('a client that is generated from the document compiles strictly and puts messages back', async () => {
  const { token, hash } = createToken()
  const server = { auth: { tokens: [{ name: 'client', role: 'operator', hash }] } }
  const rig = await setUpApi({ ...broker, server })
  const queue = `${namePerTry('client')}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const letter = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  await rig.publish([1, 2, 3].map((at) => ({ ...letter, messageId: `m-${at}` })))
  const baseUrl = await rig.listen()
  const folder = createFolder()

  const mistakes = await compile(folder, (await (await fetch(`${baseUrl}/docs/json`)).json()) as object)
  expect(mistakes).toEqual([])
  const { putBack } = (await import(pathToFileURL(join(folder, 'program.js')).href)) as Client
  const done = await putBack({ baseUrl, token, queue, key: crypto.randomUUID() })

  expect(done).toEqual({
    depth: 3,
    ids: ['m-1', 'm-2', 'm-3'],
    moving: 3,
    target: `${queue}.work`,
    again: true,
    state: 'done',
    moved: 3,
    isBalanced: true,
    proved: 3,
    kept: [],
    unknown: 'API_NOT_FOUND',
  })
  await broker.expectDepths({ [queue]: 0, [`${queue}.work`]: 3 })
})
