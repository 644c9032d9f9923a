import { beforeAll, describe, expect, it } from 'vitest'
import { matchesName } from '../../../packages/cli/src/http-api/auth/matches-name.ts'
import type { DlqList } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { ChannelError } from '../../../packages/warrenmq/src/errors.ts'
import { purgeQueue } from '../../support/purge-queue.ts'
import { setUpApi, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const name = broker.nameOf('vera')
const queues = ['hr.dlq', 'hr', 'it.dlq', 'HR.dlq', 'größe.dlq', 'a b.dlq', 'aa.dlq', `${'a'.repeat(60)}!`]

beforeAll(async () => {
  await broker.createAccount('vera', { tag: 'monitoring' })
  const { declareDlq, close } = await startApiRig(broker)
  for (const queue of queues) await declareDlq(queue)
  await close()
})

async function permit(read: string): Promise<void> {
  const permissions = { configure: '', write: '', read }
  await broker.management('PUT', `/api/permissions/${broker.vhost}/${name}`, permissions)
}

/** The queues that RabbitMQ lets somebody read. To empty a queue takes no more than that, and these are empty. */
async function readableByBroker(): Promise<readonly string[]> {
  const session = await Session.open(broker.url.replace(/\/\/.*@/, `//${name}:${name}@`))
  try {
    const found: string[] = []
    for (const queue of queues) if (await mayPurge(session, queue)) found.push(queue)
    return found
  } finally {
    await session.close()
  }
}

async function mayPurge(session: Session, queue: string): Promise<boolean> {
  const channel = await session.openChannel()
  try {
    await purgeQueue(channel, queue)
    await channel.close()
    return true
  } catch (error) {
    if (error instanceof ChannelError) return false
    throw error
  }
}

describe('a read permission that Warren and RabbitMQ read alike', () => {
  it.each([
    ...[
      '.*',
      '',
      '^hr\\.',
      'dlq',
      '^(hr|it)\\..*$',
      '^\\Qhr.\\E',
      '(?i)^hr',
      '^[[:alpha:]]+\\.dlq$',
      '^größe',
    ],
    ...[
      '^gr....e',
      '^[^a-z]',
      '^\\w+$',
      '^\\S+$',
      '^[a-z ]+\\.dlq$',
      '^a{2}\\.',
      '^(\\w+\\.?)+$',
      '^.{6}$',
      '\\bdlq\\z',
    ],
  ])('%s', async (pattern) => {
    await permit(pattern)

    expect(queues.filter((queue) => matchesName(pattern, queue))).toEqual(await readableByBroker())
  })
})

describe('a read permission that only RabbitMQ can tell', () => {
  it.each([
    '^(?!\\Qhr.\\E).*',
    '^(?!hr\\.).*',
    '(?<!hr)\\.dlq$',
    '^(.)\\1',
    '^(?>hr|it)',
    '^\\p{Lu}',
    '(?i)^GRÖSSE',
  ])('shows nothing: %s', async (pattern) => {
    await permit(pattern)

    expect(queues.filter((queue) => matchesName(pattern, queue))).toEqual([])
  })

  it('and that freezes others leaves a server answering, with what RabbitMQ allows and no more', async () => {
    const rig = await setUpApi(broker)
    await permit('^(\\w+\\.?)+$')
    const list = async () =>
      (await rig.app.inject({ url: '/api/v1/dlqs', headers: broker.as('vera') })).json<DlqList>()

    const { items } = await list()

    const allowed = await readableByBroker()
    expect(items.map(({ queue }) => queue).filter((queue) => !allowed.includes(queue))).toEqual([])
    expect(items.map(({ queue }) => queue)).toContain('hr.dlq')
    expect(
      (await rig.app.inject({ url: `/api/v1/dlqs/${'a'.repeat(60)}!/causes`, headers: broker.as('vera') }))
        .statusCode,
    ).toBe(403)
  })
})
