import { expect, it, onTestFinished } from 'vitest'
import { parseServerKeys } from '../../../packages/cli/src/http-api/records/server-keys.ts'
import type { SharedTask } from '../../../packages/cli/src/http-api/tasks/shared-task.ts'
import { TaskBoard } from '../../../packages/cli/src/http-api/tasks/task-board.ts'
import { openSessionPair } from '../../../packages/warrenmq/src/broker/amqp/open-session-pair.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { eventually } from '../../support/eventually.ts'

const keys = parseServerKeys('k'.repeat(32), 'The test')

async function setup() {
  const broker = await startEmbeddedBroker({ profile: '4.3' })
  onTestFinished(() => broker.stop())
  const open = async () => {
    const strays: string[] = []
    const sessions = await openSessionPair(broker.url, { name: 'a' }, { name: 'b' })
    const found = (stream: string, kind: string): void => void strays.push(`${stream}: ${kind}`)
    const board = await TaskBoard.open({ ...sessions, keys, strays: { found } })
    onTestFinished(async () => {
      await board.close()
      await Promise.all([sessions.consuming.close(), sessions.publishing.close()])
    })
    return { board, strays }
  }
  return { broker, open }
}

function taskOf(id: string): SharedTask {
  const times = { startedAt: '2030-01-01T00:00:00.000Z', endedAt: null }
  return {
    task: {
      id,
      kind: 'redrive',
      state: 'running',
      queue: 'a.dlq',
      by: 'ann',
      reason: null,
      host: 'one',
      ...times,
      movedBefore: 0,
      problem: null,
      isSigned: true,
      limit: null,
      progress: { present: 1, moved: 0, failed: 0, kept: 0 },
    },
    run: 1,
    server: 'one',
    presence: 'warren.server.one',
    receipt: null,
    asked: { kind: 'admin', limit: 1 },
  }
}

it('a record that is sent again, since its confirm was lost, is no stray to any server', async () => {
  const { broker, open } = await setup()
  const writing = await open()
  const reading = await open()

  const isCut = broker.faults.cutConnection('after-publish-routed')
  await writing.board.write(taskOf('t1'))
  await isCut
  await writing.board.write(taskOf('t2'))

  const late = await open()
  for (const { board } of [writing, reading, late])
    await eventually(() => expect(board.list().map(({ task }) => task.id)).toEqual(['t2', 't1']))
  expect([writing.strays, reading.strays, late.strays]).toEqual([[], [], []])
})
