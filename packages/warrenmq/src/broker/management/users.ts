import type { CallApi, CallOptions } from './call-api.ts'
import { asRecords, type JsonRecord, requiredText } from './json-record.ts'

/** A user without what could be used to log in: hashes of passwords are not passed on. */
export interface ManagedUser {
  /** The name to log in with. */
  readonly name: string
  /** What opens the management API: `administrator`, `monitoring`, `management` and others. */
  readonly tags: readonly string[]
}

/** What one user may do in one vhost. */
export interface Permission {
  /** Where it holds. */
  readonly vhost: string
  /** Whom it is for. */
  readonly user: string
  /** Regular expressions over the names of queues and exchanges; empty matches none. */
  readonly configure: string
  /** The same, for publishing to exchanges and binding queues. */
  readonly write: string
  /** The same, for consuming, and for binding from exchanges. */
  readonly read: string
}

/** The users of a broker. */
export interface Users {
  /**
   * All users, with their tags.
   * @example
   * ```ts
   * const users = await management.users.list()
   * ```
   */
  list(options?: CallOptions): Promise<readonly ManagedUser[]>
}

/** Who may do what. */
export interface Permissions {
  /**
   * What users may do, in one vhost or in all.
   * @example
   * ```ts
   * const permissions = await management.permissions.list({ vhost: '/' })
   * ```
   */
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly Permission[]>
}

export function usersOf(callApi: CallApi): Users {
  return {
    list: async (options) => {
      const { json } = await callApi({ path: ['users'], subject: 'users', options })
      return asRecords(json).map((user) => ({ name: requiredText(user, 'name'), tags: readTags(user.tags) }))
    },
  }
}

export function permissionsOf(callApi: CallApi): Permissions {
  return {
    list: async ({ vhost, signal } = {}) => {
      const { json } = await callApi({
        path: vhost === undefined ? ['permissions'] : ['vhosts', vhost, 'permissions'],
        subject: vhost === undefined ? 'permissions' : `vhost "${vhost}"`,
        options: { signal },
      })
      return asRecords(json).map(readPermission)
    },
  }
}

/** A list since 3.9, text with commas before. */
export function readTags(tags: unknown): readonly string[] {
  const list = Array.isArray(tags) ? tags : String(tags ?? '').split(',')
  return list.map((tag) => String(tag).trim()).filter((tag) => tag !== '')
}

function readPermission(permission: JsonRecord): Permission {
  return {
    vhost: requiredText(permission, 'vhost'),
    user: requiredText(permission, 'user'),
    configure: requiredText(permission, 'configure'),
    write: requiredText(permission, 'write'),
    read: requiredText(permission, 'read'),
  }
}
