import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import type { Approval, Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { deadLetterTo, setUpApi } from './api-rig.ts'
import { readStreamUntil } from './read-stream-until.ts'
import { useApiBroker } from './use-api-broker.ts'

// While servers are updated one after the other, those of 0.1 read what those of today write. So a record may have more
// fields than it had then, and must have all of those, with values of the same kind.

const broker = await useApiBroker()
const { as } = broker

beforeAll(async () => {
  for (const name of ['ann', 'bob']) await broker.createAccount(name, { tag: 'administrator' })
})

const recordsOf01 = (name: string): readonly object[] =>
  JSON.parse(readFileSync(`test/fixtures/records-0.1/${name}.json`, 'utf8'))

/** What a server writes for the same requests as those of which the records of 0.1 were kept. */
async function writeToday() {
  const rig = await setUpApi({ ...broker, server: { approval: { above: 3 } } })
  const queue = `${namePerTry('old-readers')}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const headers = { 'x-original-queue': `${queue}.work`, 'exception-type': 'TypeError' }
  await rig.publish(Array.from({ length: 14 }, (_, body) => ({ key: queue, body, headers })))
  const ask = (person: string, path: string, payload: object) =>
    rig.app.inject({ method: 'POST', url: `/api/v1/${path}`, headers: as(person), payload })
  const whenEnded = (id: string) => rig.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })

  const small = await ask('ann', 'redrives', { queue, limit: 2, reason: 'try two', ratePerSecond: 2 })
  await whenEnded(small.json<Task>().id)
  const large: string[] = []
  for (const limit of [5, 4, 6]) {
    const answer = await ask('ann', 'redrives', { queue, limit, reason: `put ${limit} back` })
    large.push(answer.json<Approval>().id)
  }
  await ask('bob', `approvals/${large[1]}/refuse`, {})
  await ask('bob', `approvals/${large[0]}/grant`, {})
  await whenEnded(large[0]!)

  const isEndOf = (id: string) => (body: string) =>
    body.includes(id) && /"(state":"done|result":"done)/.test(body)
  const read = async (name: string, isLast: (body: string) => boolean) =>
    (await readStreamUntil(rig.consuming, `warren.${name}`, isLast)).map(({ body }) => JSON.parse(body))
  return {
    tasks: await read('tasks', isEndOf(large[0]!)),
    notices: await read('notices', (body) => body.includes('approval-decided') && body.includes(large[0]!)),
    audit: await read('audit', (body) => /"result":"done/.test(body) && body.includes(large[0]!)),
  }
}

/** The fields of a record of 0.1 that one of today lacks, or has as something else; what was null may be anything. */
function lacking(old: unknown, today: unknown, path = ''): readonly string[] {
  if (old === null) return []
  if (Array.isArray(old))
    return Array.isArray(today) ? lacking(old[0] ?? null, today[0], `${path}[]`) : [path]
  if (typeof old !== 'object') return typeof old === typeof today ? [] : [path]
  if (typeof today !== 'object' || today === null) return [path]
  return Object.entries(old).flatMap(([name, value]) =>
    name in today
      ? lacking(value, (today as Record<string, unknown>)[name], `${path}.${name}`)
      : [`${path}.${name}`],
  )
}

it('every record that 0.1 wrote has its like today, with all of its fields', async () => {
  const written = await writeToday()

  for (const name of ['tasks', 'notices', 'audit'] as const)
    for (const old of recordsOf01(name)) {
      const nearest = written[name]
        .map((each) => lacking(old, each))
        .toSorted((a, b) => a.length - b.length)[0]
      expect(nearest, `${name}: ${JSON.stringify(old)}`).toEqual([])
    }
})
