import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Note, NoteList, Problem, Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { type ApiRig, deadLetterTo, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { as, nameOf } = broker
let one: ApiRig
let two: ApiRig

beforeAll(async () => {
  const people = { ann: 'policymaker', bob: 'administrator', vera: 'monitoring' }
  for (const [name, tag] of Object.entries(people)) await broker.createAccount(name, { tag })
  await broker.createAccount('narrow', { tag: 'administrator', read: '^mine\\.' })
  one = await startApiRig(broker)
  two = await startApiRig(broker)
})
afterAll(() => Promise.all([one.close(), two.close()]))

const send = (method: 'POST' | 'DELETE', path: string, who: Parameters<typeof as>[0], payload?: object) =>
  one.app.inject({ method, url: `/api/v1/${path}`, headers: as(who), ...(payload && { payload }) })

async function listOf(who: Parameters<typeof as>[0], { app } = two): Promise<readonly Note[]> {
  const answer = await app.inject({ url: '/api/v1/notes', headers: as(who) })
  return answer.json<NoteList>().items
}

it('a note on a queue is read at every server, by all who may read the queue', async () => {
  await one.declareDlq('noted.dlq')

  const written = await send('POST', 'dlqs/noted.dlq/note', 'ann', { text: 'Ann is on it.' })

  expect(written.statusCode, written.body).toBe(200)
  const note = { about: 'queue', queue: 'noted.dlq', task: null, text: 'Ann is on it.', by: nameOf('ann') }
  expect(written.json<Note>()).toMatchObject(note)
  await eventually(async () => expect(await listOf('vera')).toMatchObject([note]))
  expect(await listOf('narrow')).toEqual([])
  await send('POST', 'dlqs/noted.dlq/note', 'bob', { text: 'Bob has it now.' })
  await eventually(async () => expect(await listOf('ann')).toMatchObject([{ by: nameOf('bob') }]))
  expect((await send('DELETE', 'dlqs/noted.dlq/note', 'ann')).statusCode).toBe(204)
  await eventually(async () => expect(await listOf('ann')).toEqual([]))
  expect((await send('DELETE', 'dlqs/noted.dlq/note', 'ann')).statusCode).toBe(204)
})

it('a viewer, too many words and an unknown queue are refused', async () => {
  await one.declareDlq('refused.dlq')
  const path = 'dlqs/refused.dlq/note'

  const answers = await Promise.all([
    send('POST', path, 'vera', { text: 'x' }),
    send('POST', path, 'ann', { text: 'x'.repeat(501) }),
    send('POST', path, 'ann', { text: '' }),
    send('POST', 'dlqs/no-such.dlq/note', 'ann', { text: 'x' }),
    send('POST', path, 'narrow', { text: 'x' }),
  ])

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 400, 400, 404, 403])
  expect(await listOf('ann', one)).toEqual([])
})

it('a receipt is acknowledged once, when its task has ended', async () => {
  await one.declareDlq('read.dlq')
  await one.declareDlq('read.work', deadLetterTo('read.dlq'))
  const message = { key: 'read.dlq', body: 1, headers: { 'x-original-queue': 'read.work' } }
  await one.publish(Array.from({ length: 20 }, () => message))
  const started = await send('POST', 'redrives', 'ann', { queue: 'read.dlq', ratePerSecond: 1 })
  const { id } = started.json<Task>()
  const path = `tasks/${id}/acknowledgement`

  const early = await send('POST', path, 'ann')
  await send('POST', `tasks/${id}/cancel`, 'ann')
  await eventually(async () => {
    const answer = await one.app.inject({ url: `/api/v1/tasks/${id}`, headers: as('ann') })
    expect(answer.json<Task>().state).toBe('cancelled')
  })
  const first = await send('POST', path, 'ann', { text: 'Enough for today.' })
  const second = await send('POST', path, 'bob')

  expect(early.json<Problem>()).toMatchObject({ status: 409, code: 'API_TASK_NOT_ENDED' })
  expect(first.json<Note>()).toMatchObject({
    about: 'task',
    task: id,
    by: nameOf('ann'),
    text: 'Enough for today.',
  })
  expect(second.json<Note>()).toEqual(first.json<Note>())
  const unknown = await send('POST', 'tasks/5f0c9a5e-3c7b-4a53-9b4e-0a4f8f3a9a01/acknowledgement', 'ann')
  expect(unknown.statusCode).toBe(404)
})
