import { openSessionPair, pairManagement } from 'warrenmq/operations'
import type { CommandInput } from './command.ts'
import type { ServerBroker } from './http-api/server-broker.ts'
import { readBrokerOptions } from './options/broker-options.ts'

export interface OpenVhosts {
  readonly brokers: readonly ServerBroker[]
  close(): Promise<void>
}

/** Connections to further vhosts of the broker that a command works on, with the same account. */
export async function openVhosts(input: CommandInput, vhosts: readonly string[]): Promise<OpenVhosts> {
  const opened: { readonly broker: ServerBroker; readonly close: () => Promise<void> }[] = []
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((each) => each.close()))
  }
  try {
    for (const vhost of vhosts) opened.push(await openVhost(input, vhost))
  } catch (error) {
    await close()
    throw error
  }
  return { brokers: opened.map(({ broker }) => broker), close }
}

/** What the config declares is of the first vhost; here any queue may be worked on without it. */
async function openVhost({ options, env }: CommandInput, vhost: string) {
  const { url, ...place } = readBrokerOptions({ options: { ...options, vhost }, env })
  const { consuming, publishing } = await openSessionPair(
    url,
    { name: 'warren dlq' },
    { name: 'warren dlq publishing' },
  )
  const management = pairManagement(consuming, place)
  return {
    broker: { consuming, publishing, management, vhost, topology: undefined },
    close: async () => {
      await Promise.all([consuming.close(), publishing.close()])
      management.close()
    },
  }
}
