import { describe, expect, it } from 'vitest'
import type { Caller } from './caller.ts'
import { type AccessQuestion, decideAccess } from './decide-access.ts'
import { decideAccountRole, decideRole, permissionsOf, roleByTag } from './decide-role.ts'
import { countFailure, type FailedAttempts, lockedForMs } from './failed-attempts.ts'
import { matchesName } from './matches-name.ts'
import { checkToken, createToken } from './stored-token.ts'

const everything = { configure: '.*', write: '.*', read: '.*' }

describe('the role of an account', () => {
  it.each([
    [['administrator'], everything, 'admin'],
    [['management', 'policymaker'], everything, 'operator'],
    [['monitoring'], everything, 'viewer'],
    [['warren-operator', 'management'], everything, 'operator'],
    [[], everything, undefined],
    [['nonsense', 'toString'], everything, undefined],
    [['administrator'], undefined, undefined],
    [['administrator'], { ...everything, read: '' }, undefined],
    [['administrator'], { ...everything, write: '' }, 'viewer'],
    [['administrator'], { ...everything, configure: '' }, 'operator'],
    [['monitoring'], { ...everything, configure: '' }, 'viewer'],
  ])('of tags %j and permission %j is %s', (tags, permission, role) => {
    expect(decideAccountRole({ tags, permission, roles: roleByTag })).toBe(role)
  })

  it('is the highest that any name gives', () => {
    expect(decideRole(['a', 'b', 'c'], { a: 'viewer', b: 'admin', c: 'operator' })).toBe('admin')
  })

  it('has all that the role below it has', () => {
    expect(permissionsOf('operator')).toEqual(expect.arrayContaining([...permissionsOf('viewer')]))
    expect(permissionsOf('admin')).toEqual(expect.arrayContaining([...permissionsOf('operator')]))
  })

  it('sees no payloads where they are hidden from it', () => {
    const { includes } = Array.prototype
    const settings = { hidePayloadsFrom: ['viewer'] } as const
    expect(includes.call(permissionsOf('viewer', settings), 'payload:read')).toBe(false)
    expect(includes.call(permissionsOf('operator', settings), 'payload:read')).toBe(true)
  })
})

describe('a permission of RabbitMQ', () => {
  it.each([
    ['^billing\\.', 'billing.dlq', true],
    ['^billing\\.', 'orders.dlq', false],
    ['dlq', 'orders.dlq', true],
    ['', 'orders.dlq', false],
    ['(', '(', false],
  ])('%s and the name %s: %s', (expression, name, matches) => {
    expect(matchesName(expression, name)).toBe(matches)
  })
})

describe('access', () => {
  const caller: Caller = { name: 'ann', role: 'operator', wayIn: 'token', readableQueues: undefined }
  const question: AccessQuestion = {
    needs: 'dlq:redrive',
    caller,
    hidePayloadsFrom: [],
    isReadable: true,
    isChange: true,
    isCrossSite: false,
    isAddressedHere: true,
    hasCsrfToken: false,
  }
  const open: Caller = { ...caller, wayIn: 'nobody-asked' }

  it.each<[string, Partial<AccessQuestion>, string]>([
    ['is given to a role that has the permission', {}, 'allowed'],
    ['is not given to nobody', { caller: undefined }, 'API_NOT_AUTHENTICATED'],
    ['needs nobody for what anyone may', { caller: undefined, needs: 'anyone' }, 'allowed'],
    ['is not given beyond the role', { needs: 'dlq:discard' }, 'API_FORBIDDEN'],
    ['of a session needs its token', { caller: { ...caller, csrfToken: 'x' } }, 'API_CSRF_REFUSED'],
    [
      'of a session is given with it',
      { caller: { ...caller, csrfToken: 'x' }, hasCsrfToken: true },
      'allowed',
    ],
    [
      'of a session needs no token to read',
      { caller: { ...caller, csrfToken: 'x' }, isChange: false },
      'allowed',
    ],
    ['is not given to pages of other sites', { isCrossSite: true }, 'API_CSRF_REFUSED'],
    [
      'is not given to them for logging in either',
      { needs: 'anyone', isCrossSite: true },
      'API_CSRF_REFUSED',
    ],
    ['without a login is given on this machine', { caller: open }, 'allowed'],
    [
      'without a login is not given by a foreign name',
      { caller: open, isAddressedHere: false },
      'API_FORBIDDEN',
    ],
    ['is not given to queues one may not read', { isReadable: false }, 'API_FORBIDDEN'],
  ])('%s', (_, changes, expected) => {
    const access = decideAccess({ ...question, ...changes })
    expect(access.kind === 'allowed' ? 'allowed' : access.code).toBe(expected)
  })
})

describe('wrong credentials', () => {
  const rule = { most: 3, windowMs: 1_000 }
  const fail = (attempts: FailedAttempts, nowMs: number) => countFailure(attempts, { name: 'a', nowMs, rule })

  it('lock a name after so many, until the window is over', () => {
    const twice = fail(fail(new Map(), 0), 100)
    const thrice = fail(twice, 200)

    expect(lockedForMs(twice, { name: 'a', nowMs: 200, rule })).toBe(0)
    expect(lockedForMs(thrice, { name: 'a', nowMs: 200, rule })).toBe(800)
    expect(lockedForMs(thrice, { name: 'b', nowMs: 200, rule })).toBe(0)
    expect(lockedForMs(thrice, { name: 'a', nowMs: 1_000, rule })).toBe(0)
  })

  it('under many names do not fill the memory', () => {
    let attempts: FailedAttempts = new Map(
      Array.from({ length: 10_000 }, (_, at) => [`n${at}`, { count: 1, sinceMs: 0 }]),
    )
    attempts = countFailure(attempts, { name: 'one more', nowMs: 10, rule })

    expect(attempts.size).toBeLessThan(10_000)
    expect(attempts.has('one more')).toBe(true)
  })
})

describe('an API token', () => {
  const { token, hash } = createToken()

  it('is known by its hash, which does not contain it', () => {
    expect(hash).not.toContain(token.slice(7))
    expect(checkToken(token, [{ name: 'ci', role: 'viewer', hash }], 0)).toMatchObject({ name: 'ci' })
    expect(checkToken(`${token}x`, [{ name: 'ci', role: 'viewer', hash }], 0)).toBeUndefined()
  })

  it('expires at the start of its day', () => {
    const stored = [{ name: 'ci', role: 'viewer', hash, expires: '2030-01-01' }] as const
    const day = Date.parse('2030-01-01')
    expect(checkToken(token, stored, day - 1)).toBeDefined()
    expect(() => checkToken(token, stored, day)).toThrow(/has expired/)
  })

  it('has expired if its day does not exist', () => {
    const stored = [{ name: 'ci', role: 'viewer', hash, expires: '2026-13-01' }] as const
    expect(() => checkToken(token, stored, 0)).toThrow(/has expired/)
  })
})
