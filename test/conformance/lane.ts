import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import {
  type EmbeddedBroker,
  startEmbeddedBroker,
} from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { callManagement } from '../support/call-management.ts'
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
  await addUser(embedded, vhost)
  const url = Object.assign(new URL(embedded.url), { username: vhost.username, password: vhost.password })
  const onEmbedded = await openSession({
    url: `${url.href}/${encodeURIComponent(vhost.vhost)}`,
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

/** The user of the real broker, since answers name it. */
async function addUser({ managementPort }: EmbeddedBroker, vhost: TestVhost): Promise<void> {
  const { username, password } = vhost
  const everything = { configure: '.*', write: '.*', read: '.*' }
  const managementUrl = `http://127.0.0.1:${managementPort}`
  const guest = { managementUrl, username: 'guest', password: 'guest' }
  await callManagement(guest, 'PUT', `/api/users/${username}`, { password, tags: 'administrator' })
  const path = `/api/permissions/${encodeURIComponent(vhost.vhost)}/${username}`
  await callManagement(guest, 'PUT', path, everything)
}

function addressOf({ url, vhost, managementUrl, username, password }: TestVhost): Address {
  const management = new URL(managementUrl)
  management.username = username
  management.password = password
  return { url, vhost, managementUrl: management.href }
}
