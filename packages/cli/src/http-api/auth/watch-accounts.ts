import { ManagementError } from 'warrenmq'
import { ApiError, type Clock, realClock } from 'warrenmq/operations'
import { type AccountSource, type Accounts, accountsUnknown, createAccountReader } from './account-reader.ts'
import type { Caller } from './caller.ts'
import { decideAccountRole, type RoleNames } from './decide-role.ts'

export interface WatchSettings extends Omit<AccountSource, 'clock'> {
  readonly roles: RoleNames
  /** How old what is known of the accounts may be. */
  readonly everyMs: number
  readonly clock?: Clock
}

/** Sees what becomes of the accounts of RabbitMQ whose passwords it does not have. */
export interface AccountWatch {
  /** Whether RabbitMQ keeps this account and tells of it; one of LDAP or OAuth is not to be found there. */
  canSee(name: string): Promise<boolean>
  /** The caller with the role and the queues that the account has now. Throws where it has none any more. */
  refresh(caller: Caller): Promise<Caller>
  /** What an account may do at this moment, whoever asks; undefined where it is gone or has no role any more. */
  standingNow(name: string): Promise<Standing | undefined>
}

/** What RabbitMQ lets an account do. */
export type Standing = Pick<Caller, 'role' | 'readableQueues' | 'isReadUnknown'>

/** Another server may know accounts that were made a moment ago. */
const mostDoubtMs = 5_000

export function watchAccounts(settings: WatchSettings): AccountWatch {
  const { everyMs, roles, clock = realClock } = settings
  const { readNow, readWithin } = createAccountReader({ ...settings, clock })
  return {
    canSee: async (name) => {
      try {
        // What was being read when we asked may be older than the account.
        return (await readNow()).tagsOf.has(name) || (await readNow()).tagsOf.has(name)
      } catch (error) {
        if (error instanceof ManagementError && refusals.includes(error.code)) return false
        throw accountsUnknown(error)
      }
    },
    refresh: async (caller) => {
      const { name } = caller
      const accounts = await readWithin(everyMs)
      if (!accounts) return caller
      const standing = standingOf(accounts, { name, roles })
      if (standing) return { ...caller, ...standing }
      const newer = (await readWithin(mostDoubtMs)) ?? accounts
      const newStanding = standingOf(newer, { name, roles })
      if (!newStanding) throw withoutRole(name)
      return { ...caller, ...newStanding }
    },
    standingNow: async (name) => {
      try {
        return standingOf(await readNow(), { name, roles })
      } catch (error) {
        throw accountsUnknown(error)
      }
    },
  }
}

const refusals: readonly string[] = ['MANAGEMENT_UNAUTHORIZED', 'MANAGEMENT_FORBIDDEN']

function standingOf(
  { tagsOf, permissionOf }: Accounts,
  { name, roles }: { readonly name: string; readonly roles: RoleNames },
): Standing | undefined {
  const permission = permissionOf.get(name)
  const role = decideAccountRole({ tags: tagsOf.get(name) ?? [], permission, roles })
  return role && permission && { role, readableQueues: permission.read, isReadUnknown: false }
}

function withoutRole(name: string): ApiError {
  const message = `The account "${name}" is gone, or no longer has a role in this vhost. Ask the people who run RabbitMQ.`
  return new ApiError({ code: 'API_CREDENTIALS_EXPIRED', message })
}
