import { afterAll, expect } from 'vitest'
import { inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { ChannelError } from '../../../packages/warrenmq/src/errors.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost, type TestVhost } from '../../support/use-broker.ts'
import { basic } from './api-rig.ts'
import { type Peeked, peekQueue } from './peek-queue.ts'

export interface AccountOptions {
  readonly tag: string
  /** @default the vhost of the test file */
  readonly vhost?: string
  /** The queues that it may read, as a pattern. @default '.*' */
  readonly read?: string
}

/** The broker of a test file: a vhost of its own, accounts of its own, and a connection to look at queues. */
export interface ApiBroker extends TestVhost {
  /** Of the account that the servers use, who is an admin. */
  readonly headers: { readonly authorization: string }
  /** Accounts are the whole broker's, so that each file gives its own ones names of its own. */
  nameOf(person: string): string
  /** What somebody says who has an account. */
  as(person: string): { readonly authorization: string }
  /** An account whose password is its name; it goes with the test file. */
  createAccount(person: string, options: AccountOptions): Promise<void>
  /** How many messages are ready; undefined where there is no such queue. */
  depth(queue: string): Promise<number | undefined>
  /**
   * Waits until the queues hold so many: nobody is told when a queue has taken in an acknowledgement, so that a message
   * that has moved may be counted in both places for a moment.
   */
  expectDepths(depths: Readonly<Record<string, number>>): Promise<void>
  /** What is ready, in its order. It stays there. */
  peek(queue: string): Promise<readonly Peeked[]>
}

/** Call it once, at the top of a test file. All of it goes when the file is done. */
export async function useApiBroker(): Promise<ApiBroker> {
  const vhost = await createVhost()
  const { username, password, management } = vhost
  const session = await Session.open(vhost.url)
  const nameOf = (person: string): string => `${vhost.vhost}-${person}`
  const people = new Set<string>()
  afterAll(async () => {
    await session.close()
    for (const person of people) await management('DELETE', `/api/users/${nameOf(person)}`)
    await vhost.drop()
  })
  return {
    ...vhost,
    managementUrl: vhost.managementUrl.replace('://', `://${username}:${password}@`),
    headers: { authorization: basic(username, password) },
    nameOf,
    as: (person) => ({ authorization: basic(nameOf(person)) }),
    createAccount: async (person, { tag, vhost: of = vhost.vhost, read = '.*' }) => {
      const name = nameOf(person)
      people.add(person)
      await management('PUT', `/api/users/${name}`, { password: name, tags: tag })
      const permissions = { configure: '.*', write: '.*', read }
      await management('PUT', `/api/permissions/${encodeURIComponent(of)}/${name}`, permissions)
    },
    depth: (queue) => depthOf(session, queue),
    expectDepths: async (depths) => {
      const read = async (queue: string) => [queue, await depthOf(session, queue)] as const
      await eventually(async () => {
        const found = await Promise.all(Object.keys(depths).map(read))
        expect(Object.fromEntries(found)).toEqual(depths)
      })
    },
    peek: (queue) => peekQueue(session, queue),
  }
}

async function depthOf(session: Session, queue: string): Promise<number | undefined> {
  const channel = await session.openChannel()
  try {
    return (await inspectQueue(channel, queue)).messageCount
  } catch (error) {
    if (error instanceof ChannelError && error.replyCode === 404) return undefined
    throw error
  } finally {
    if (channel.isOpen) await channel.close()
  }
}
