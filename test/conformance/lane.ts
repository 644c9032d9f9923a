import type { ProfileName } from '../../src/embedded/model/profile.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from '../../src/embedded/start-embedded-broker.ts'
import type { TestVhost } from '../support/use-broker.ts'
import { type Address, openSession, type Session } from './session.ts'
import type { Turns } from './turns.ts'

/** A vhost of a real broker and an embedded broker that should behave like it. Programs run in it one by one. */
export interface Lane {
  readonly embedded: EmbeddedBroker
  readonly onEmbedded: Session
  readonly onRabbit: Session
  readonly turns: Turns
  close(): Promise<void>
}

export async function openLane(vhost: TestVhost, profile: ProfileName, turns: Turns): Promise<Lane> {
  const embedded = await startEmbeddedBroker({ profile, clock: 'virtual', vhosts: [vhost.vhost] })
  const onEmbedded = await openSession({
    url: `${embedded.url}/${encodeURIComponent(vhost.vhost)}`,
    managementUrl: embedded.managementUrl,
    vhost: vhost.vhost,
  })
  const onRabbit = await openSession(addressOf(vhost))
  return {
    embedded,
    onEmbedded,
    onRabbit,
    turns,
    close: async () => {
      await Promise.all([onEmbedded.end(), onRabbit.end()])
      await embedded.stop()
    },
  }
}

function addressOf({ url, vhost, managementUrl, username, password }: TestVhost): Address {
  const management = new URL(managementUrl)
  management.username = username
  management.password = password
  return { url, vhost, managementUrl: management.href }
}
