import { afterAll } from 'vitest'
import { callManagement, type ManagementAccess } from './call-management.ts'
import { createVhostOn } from './create-vhost-on.ts'
import { sharedBroker } from './shared-broker.ts'

/** A vhost on the broker of this run, with everything needed to reach it. */
export interface TestVhost extends ManagementAccess {
  /** amqp:// with user, password and vhost. */
  readonly url: string
  readonly vhost: string
  /** The broker's full version: "4.0.5". */
  readonly version: string
  /** A request to the HTTP API of the broker. */
  management<T = unknown>(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T>
}

/**
 * The vhost of a test file, dropped when the file is done. Call it once, at the top:
 * `const broker = await useBroker()`.
 */
export async function useBroker(): Promise<TestVhost> {
  const made = await createVhost()
  afterAll(made.drop)
  return made
}

/** One more vhost, for tests that need two. The caller drops it; the end of the run does so at the latest. */
export async function createVhost(): Promise<TestVhost & { drop(): Promise<void> }> {
  const { vhostPrefix, amqpUrl, managementUrl, username, password, version } = sharedBroker()
  const access = { managementUrl, username, password }
  const made = await createVhostOn({ ...access, amqpUrl }, vhostPrefix)
  return {
    ...access,
    ...made,
    version,
    management: (method, path, body) => callManagement(access, method, path, body),
  }
}
