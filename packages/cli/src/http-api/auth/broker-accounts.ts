import { createHmac, randomBytes } from 'node:crypto'
import { ManagementError } from 'warrenmq'
import { type Clock, type Management, steadyClock } from 'warrenmq/operations'
import type { Credentials } from '../contract/contract.ts'
import type { Caller } from './caller.ts'
import { decideAccountRole, type RoleNames, type VhostPermission } from './decide-role.ts'

export interface AccountSettings {
  /** Warren's own access to it, which sees the permissions of others where its account is an administrator. */
  readonly management: Management
  readonly vhost: string
  readonly roles: RoleNames
}

/** Says who an account of RabbitMQ is to us; undefined where RabbitMQ does not know it or it has no role here. */
export type CheckAccount = (credentials: Credentials) => Promise<Caller | undefined>

/** A console polls; RabbitMQ hashes a password each time it is asked. */
const rememberedMs = 30_000
const mostRemembered = 1_000

export function openBrokerAccounts(
  settings: AccountSettings,
  clock: Pick<Clock, 'now'> = steadyClock,
): CheckAccount {
  const key = randomBytes(32)
  const known = new Map<string, { readonly caller: Caller; readonly untilMs: number }>()
  return async (credentials) => {
    if (!canBeSent(credentials)) return undefined
    const name = createHmac('sha256', key)
      .update(JSON.stringify([credentials.username, credentials.password]))
      .digest('base64')
    const remembered = known.get(name)
    if (remembered && remembered.untilMs > clock.now()) return remembered.caller
    known.delete(name)
    const caller = await askBroker(credentials, settings)
    if (caller) {
      if (known.size >= mostRemembered) known.clear()
      known.set(name, { caller, untilMs: clock.now() + rememberedMs })
    }
    return caller
  }
}

async function askBroker(credentials: Credentials, settings: AccountSettings): Promise<Caller | undefined> {
  const own = settings.management.loginAs(credentials, { timeoutMs: 10_000, maxConcurrentRequests: 1 })
  try {
    const { name, tags } = await own.whoAmI()
    const permission = await permissionOf(name, { own, ...settings })
    const role = decideAccountRole({ tags, permission, roles: settings.roles })
    if (role === undefined || !permission) return undefined
    const { read: readableQueues, isUnknown: isReadUnknown = false } = permission
    return { name, role, wayIn: 'broker-account', readableQueues, isReadUnknown }
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  } finally {
    own.close()
  }
}

/** `isUnknown`: there is one, and nobody tells which. */
type FoundPermission = VhostPermission & { readonly isUnknown?: true }

async function permissionOf(
  user: string,
  { own, management, vhost }: AccountSettings & { readonly own: Management },
): Promise<FoundPermission | undefined> {
  for (const asked of [management, own]) {
    try {
      return (await asked.permissions.list({ vhost })).find((each) => each.user === user)
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  // Neither may list permissions. RabbitMQ shows an exchange to who has some in its vhost, and tells no more: the vhost
  // itself it shows to administrators only, and a list of vhosts with others to who may monitor.
  const isVisible = await own.exchanges
    .find({ vhost, name: 'amq.direct' })
    .then(Boolean, (error: unknown) => {
      if (isRefusal(error)) return false
      throw error
    })
  return isVisible ? { configure: '', write: '', read: '.*', isUnknown: true } : undefined
}

/**
 * A URL without a user stands for RabbitMQ's default one, which is not who asks. What stands behind a colon in a name is
 * sent as a part of the password, so that guesses for one account would be counted under many names.
 */
function canBeSent({ username, password }: Credentials): boolean {
  if (username === '' || username.includes(':')) return false
  return Buffer.byteLength(username) + Buffer.byteLength(password) <= mostBytes
}

/** In base64 they must fit into the 4 KiB that RabbitMQ reads of a header. */
const mostBytes = 3_000

function isRefusal(error: unknown): boolean {
  return (
    error instanceof ManagementError &&
    ['MANAGEMENT_UNAUTHORIZED', 'MANAGEMENT_FORBIDDEN', 'MANAGEMENT_NOT_FOUND'].includes(error.code)
  )
}
