import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Discarded, Problem, Restored } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { setUpApi } from './api-rig.ts'
import { listenIn } from './listen-in.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const queue = 'asked.dlq'

/** A server that lets admins use any queue or not, and how often it has asked which queues are dead-letter queues. */
async function setup(anyQueue: readonly string[] = []) {
  const { url: managementUrl, asked } = await listenIn(broker.managementUrl)
  const folder = mkdtempSync(join(tmpdir(), 'warren-asked-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // Whatever looks at the queues by itself would be counted, too.
  const server = { backups: { folder }, history: { every: '1h' }, anyQueue }
  const rig = await setUpApi({ ...broker, managementUrl, server })
  for (const name of [queue, 'live']) {
    await rig.declareDlq(name)
    await rig.publish([1, 2, 3].map((body) => ({ key: name, body })))
  }
  const post = async (url: string, payload: object, more: Record<string, string> = {}) => {
    asked.length = 0
    const answer = await rig.app.inject({ method: 'POST', url, headers: { ...headers, ...more }, payload })
    return { answer, questions: asked.filter((path) => path.startsWith('/api/exchanges/')).length }
  }
  return { rig, post }
}

describe('which queues are dead-letter queues is asked of RabbitMQ once', () => {
  it.each([[[]], [['admin']]])(
    'by a discard, and by a restore, where any queue is open to %j',
    async (roles) => {
      const { rig, post } = await setup(roles)

      const discard = await post(`/api/v1/dlqs/${queue}/discard`, {})
      const { backup } = discard.answer.json<Discarded>()
      const file = await rig.app.inject({ url: `/api/v1/backups/${backup.id}`, headers })
      const restore = await post(`/api/v1/restores?queue=${queue}`, file.rawPayload, {
        'content-type': 'application/gzip',
      })

      expect(discard.answer.json()).toMatchObject({ removed: 3, isDone: true })
      expect(restore.answer.json<Restored>()).toMatchObject({ restored: 3 })
      expect([discard.questions, restore.questions]).toEqual([1, 1])
      await broker.expectDepths({ [queue]: 3 })
    },
  )

  it('and a discard of another queue is refused, also to who may use any', async () => {
    const { post } = await setup(['admin'])

    const { answer } = await post('/api/v1/dlqs/live/discard', {})

    expect([answer.statusCode, answer.json<Problem>().code]).toEqual([404, 'API_NOT_FOUND'])
    await broker.expectDepths({ live: 3 })
  })
})
