import { describe, expect, it } from 'vitest'
import { ManagementError } from 'warrenmq'
import { ApiError } from 'warrenmq/operations'
import type { Caller } from './caller.ts'
import { roleByTag } from './decide-role.ts'
import { watchAccounts } from './watch-accounts.ts'

const minuteMs = 60_000
const caller: Caller = {
  name: 'ann',
  role: 'admin',
  wayIn: 'broker-account',
  readableQueues: '.*',
  csrfToken: 'x',
  session: { id: 's', expiresAt: '2030-01-01T00:00:00Z', isWatched: true },
}

/** RabbitMQ with one account, and a clock that stands until it is turned. */
function setup() {
  const rabbit = {
    name: 'ann',
    tags: ['administrator'],
    read: '.*',
    asked: 0,
    problem: undefined as Error | undefined,
  }
  let nowMs = 0
  const tell = async <Answer>(answer: Answer): Promise<Answer> => {
    if (rabbit.problem) throw rabbit.problem
    return answer
  }
  const watch = watchAccounts({
    management: {
      users: {
        list: () => {
          rabbit.asked += 1
          return tell([{ name: rabbit.name, tags: rabbit.tags }])
        },
      },
      permissions: {
        list: () => tell([{ vhost: '/', user: 'ann', configure: '.*', write: '.*', read: rabbit.read }]),
      },
    },
    vhost: '/',
    roles: roleByTag,
    everyMs: minuteMs,
    clock: { now: () => nowMs, schedule: () => () => {} },
  })
  const roleAt = async (ms: number) => {
    nowMs = ms
    try {
      return (await watch.refresh(caller)).role
    } catch (error) {
      return error instanceof ApiError ? error.code : error
    }
  }
  return { rabbit, watch, roleAt }
}

const away = new ManagementError({
  code: 'MANAGEMENT_UNREACHABLE',
  message: 'gone',
  status: undefined,
})

describe('the role of a session', () => {
  it('is that of its account, asked for once a minute', async () => {
    const { rabbit, roleAt } = setup()

    const first = [await roleAt(0), await roleAt(1)]
    rabbit.tags = ['monitoring']
    const before = await roleAt(minuteMs - 1)
    const after = await roleAt(minuteMs)

    expect([...first, before, after]).toEqual(['admin', 'admin', 'admin', 'viewer'])
    expect(rabbit.asked).toBe(2)
  })

  it('is gone with the tag, and comes back with it', async () => {
    const { rabbit, roleAt } = setup()
    await roleAt(0)

    rabbit.tags = []
    const without = await roleAt(minuteMs)
    rabbit.tags = ['policymaker']
    const again = await roleAt(2 * minuteMs)

    expect([without, again]).toEqual(['API_CREDENTIALS_EXPIRED', 'operator'])
  })

  it('is not denied by what was read before the account was made', async () => {
    const { rabbit, roleAt } = setup()
    rabbit.tags = []
    await roleAt(0)

    rabbit.tags = ['administrator']

    expect([await roleAt(4_999), await roleAt(5_000)]).toEqual(['API_CREDENTIALS_EXPIRED', 'admin'])
  })

  it('has the queues of its account, and its own token and session', async () => {
    const { rabbit, watch } = setup()
    rabbit.read = '^mine'

    expect(await watch.refresh(caller)).toEqual({
      ...caller,
      readableQueues: '^mine',
      isReadUnknown: false,
    })
  })

  it('stays while RabbitMQ is away, for a quarter of an hour and no longer, and is known again after it', async () => {
    const { rabbit, roleAt } = setup()
    await roleAt(0)
    rabbit.problem = away
    rabbit.tags = ['monitoring']

    const meanwhile = [await roleAt(minuteMs), await roleAt(15 * minuteMs - 1)]
    const later = await roleAt(15 * minuteMs)
    rabbit.problem = undefined
    const back = await roleAt(16 * minuteMs)

    expect([...meanwhile, later, back]).toEqual(['admin', 'admin', 'API_ACCOUNT_UNCHECKED', 'viewer'])
  })

  it('stays as long on a server that RabbitMQ has never told', async () => {
    const { rabbit, roleAt } = setup()
    rabbit.problem = away

    expect([await roleAt(0), await roleAt(15 * minuteMs - 1), await roleAt(15 * minuteMs)]).toEqual([
      ...['admin', 'admin', 'API_ACCOUNT_UNCHECKED'],
    ])
  })

  it('is not asked for with every request while RabbitMQ is away', async () => {
    const { rabbit, roleAt } = setup()
    rabbit.problem = away

    for (let ms = 0; ms < 20_000; ms += 100) await roleAt(ms)

    expect(rabbit.asked).toBe(2)
  })
})

describe('an account', () => {
  it('is seen where RabbitMQ keeps it', async () => {
    const { watch } = setup()

    expect([await watch.canSee('ann'), await watch.canSee('of-ldap')]).toEqual([true, false])
  })

  it('that was made while others were being read is seen', async () => {
    const { rabbit, watch } = setup()
    rabbit.name = 'somebody'
    const asked = watch.canSee('somebody')

    rabbit.name = 'ann'

    expect([await watch.canSee('ann'), await asked]).toEqual([true, true])
  })

  it('may do at any moment what RabbitMQ says then, and nothing once it has no role', async () => {
    const { rabbit, watch } = setup()

    const before = await watch.standingNow('ann')
    rabbit.tags = ['monitoring']
    const demoted = await watch.standingNow('ann')
    rabbit.tags = []
    const without = await watch.standingNow('ann')
    rabbit.problem = away

    expect([before?.role, demoted?.role, without]).toEqual(['admin', 'viewer', undefined])
    expect(await watch.standingNow('nobody').catch(({ code }: ApiError) => code)).toBe(
      'API_ACCOUNT_UNCHECKED',
    )
  })

  it('is not seen by a server that RabbitMQ tells nothing of accounts', async () => {
    const { rabbit, watch } = setup()
    rabbit.problem = new ManagementError({
      code: 'MANAGEMENT_FORBIDDEN',
      message: 'no',
      status: 403,
    })

    expect(await watch.canSee('ann')).toBe(false)
  })

  it('of which RabbitMQ cannot tell now is not taken for one that it does not keep', async () => {
    const { rabbit, watch } = setup()
    rabbit.problem = away

    await expect(watch.canSee('ann')).rejects.toMatchObject({ code: 'API_ACCOUNT_UNCHECKED' })
  })
})
