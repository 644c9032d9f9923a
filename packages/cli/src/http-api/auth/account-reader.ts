import { ApiError, type Clock, type Management, type Permission } from 'warrenmq/operations'

/** The accounts of RabbitMQ, as they were at one moment. */
export interface Accounts {
  readonly readAtMs: number
  readonly tagsOf: ReadonlyMap<string, readonly string[]>
  readonly permissionOf: ReadonlyMap<string, Permission>
}

export interface AccountSource {
  /** RabbitMQ tells accounts of others to administrators only. */
  readonly management: Pick<Management, 'users' | 'permissions'>
  readonly vhost: string
  readonly clock: Clock
}

export interface AccountReader {
  /** Read once for all who ask at the same time. */
  readNow(): Promise<Accounts>
  /**
   * No older than this; older ones while RabbitMQ is away, and none where it has not told yet. Throws when it has been
   * away for too long.
   */
  readWithin(ageMs: number): Promise<Accounts | undefined>
}

/** How long what was known is good while RabbitMQ does not tell. */
const mostAwayMs = 15 * 60_000
/** While it does not, it is not asked for every request. */
const retryMs = 10_000
const mostPatientMs = 5_000

export function createAccountReader(source: AccountSource): AccountReader {
  const { clock } = source
  let known: Accounts | undefined
  let reading: Promise<Accounts> | undefined
  let failure: { readonly sinceMs: number; readonly lastMs: number } | undefined

  async function read(): Promise<Accounts> {
    try {
      known = await readAccounts(source)
      failure = undefined
      return known
    } catch (error) {
      const nowMs = clock.now()
      failure = { sinceMs: failure?.sinceMs ?? known?.readAtMs ?? nowMs, lastMs: nowMs }
      throw error
    } finally {
      reading = undefined
    }
  }

  const readNow: AccountReader['readNow'] = () => {
    reading ??= read()
    return reading
  }

  return {
    readNow,
    readWithin: async (ageMs) => {
      const nowMs = clock.now()
      if (known && nowMs - known.readAtMs < ageMs) return known
      const isDue = !failure || nowMs - failure.lastMs >= retryMs
      const problem = isDue
        ? await readNow().then(
            () => undefined,
            (error: unknown) => ({ error }),
          )
        : undefined
      if (failure && nowMs - failure.sinceMs >= mostAwayMs) throw accountsUnknown(problem?.error)
      return known
    },
  }
}

async function readAccounts({ management, vhost, clock }: AccountSource): Promise<Accounts> {
  const readAtMs = clock.now() // before it is asked: what changes meanwhile may be missing
  const signal = AbortSignal.timeout(mostPatientMs)
  const [users, permissions] = await Promise.all([
    management.users.list({ signal }),
    management.permissions.list({ vhost, signal }),
  ])
  return {
    readAtMs,
    tagsOf: new Map(users.map(({ name, tags }) => [name, tags])),
    permissionOf: new Map(permissions.map((each) => [each.user, each])),
  }
}

export function accountsUnknown(cause?: unknown): ApiError {
  const message =
    'RabbitMQ does not say what your account may do. Check that its management API answers, and try again.'
  return new ApiError({ code: 'API_ACCOUNT_UNCHECKED', message, retryAfterSeconds: 10 }, { cause })
}
