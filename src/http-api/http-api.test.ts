import { describe, expect, it } from 'vitest'
import { RecoveryError, WireError } from '../errors.ts'
import { parseFilter } from '../recovery/parse-filter.ts'
import type { Caller } from './auth/caller.ts'
import { maskBody } from './mask-body.ts'
import { problemOf } from './problems.ts'
import { readServerSection } from './read-server-section.ts'
import { refuseHiddenFields } from './refuse-hidden-fields.ts'
import { endedState, nextTaskState } from './tasks/task-state.ts'

describe('a masked body', () => {
  it.each([
    ['{"card":{"number":"4111","year":30}}', ['card.number'], '{"card":{"number":"***","year":30}}'],
    ['{"users":[{"name":"a"},{"name":"b"}]}', ['users.name'], '{"users":[{"name":"***"},{"name":"***"}]}'],
    ['{"a":{"x":1},"b":{"x":2}}', ['*.x'], '{"a":{"x":"***"},"b":{"x":"***"}}'],
    ['{"card":{"number":"4111"}}', ['card'], '{"card":"***"}'],
    ['{"a":1}', ['b', 'a.c'], undefined],
    ['not json', ['a'], undefined],
    ['{"a":1}', [], undefined],
  ])('%s by %j is %s', (text, paths, masked) => {
    expect(maskBody(text, paths)).toBe(masked)
  })
})

describe('a filter where payloads are hidden', () => {
  const caller: Caller = { name: 'ann', role: 'viewer', wayIn: 'token', readableQueues: undefined }
  const settings = { hidePayloadsFrom: ['viewer'], maskedPaths: [] } as const

  it.each(['body.card:4111', 'type:A and not body.card:4111', 'plainword'])('may not ask %s', (where) => {
    expect(() => refuseHiddenFields(parseFilter(where), { caller, settings })).toThrow(/hidden/)
  })

  it('may ask for what is shown', () => {
    refuseHiddenFields(parseFilter('type:A and header.tenant:acme'), { caller, settings })
  })
})

describe('a problem', () => {
  it('has our code, a status and what to do', () => {
    const error = new RecoveryError({ code: 'RECOVERY_LOCKED', message: 'Wait until it is done.' })
    expect(problemOf(error)).toEqual({
      ...{ type: 'urn:warren:problem:RECOVERY_LOCKED', title: 'Not now', status: 409 },
      ...{ detail: 'Wait until it is done.', code: 'RECOVERY_LOCKED' },
    })
  })

  it.each([
    new Error('secret host'),
    new WireError({ code: 'WIRE_BAD_VALUE', detail: 'secret', offset: 1 }),
    'x',
  ])('that nobody foresaw tells nothing of the inside: %s', (error) => {
    expect(problemOf(error)).toMatchObject({ status: 500, code: 'API_FAILED' })
    expect(JSON.stringify(problemOf(error))).not.toContain('secret')
  })
})

describe('the server section', () => {
  it('without a word listens on this machine and asks for accounts of RabbitMQ', () => {
    expect(readServerSection()).toMatchObject({
      ...{ host: '127.0.0.1', port: 15_680, isOpen: false, trustedProxies: [] },
      accountRoles: { administrator: 'admin' },
    })
  })

  it('takes the key of sessions from the environment only', () => {
    expect(readServerSection({}, { WARREN_SESSION_KEY: 'key' }).sessionKey).toBe('key')
    expect(() => readServerSection({ session: { key: 'key' } })).toThrow(/server\.session/)
  })

  it.each<[Record<string, unknown>, RegExp]>([
    [{ prot: 1 }, /server/],
    [{ port: 'x' }, /server\.port/],
    [{ auth: 'nobody' }, /server\.auth/],
    [{ auth: { tokens: [{ name: 'a', role: 'admin', hash: 'plain-text' }] } }, /server\.auth/],
  ])('refuses %j and says where', (section, problem) => {
    expect(() => readServerSection(section)).toThrow(problem)
  })
})

describe('a task', () => {
  it.each([
    ['running', 'pause', 'paused'],
    ['paused', 'resume', 'running'],
    ['running', 'cancel', 'cancelling'],
    ['paused', 'cancel', 'cancelling'],
    ['cancelling', 'resume', 'cancelling'],
    ['done', 'pause', 'ended'],
    ['failed', 'resume', 'ended'],
    ['stopped', 'cancel', 'ended'],
  ] as const)('that is %s and asked to %s is %s', (state, step, next) => {
    expect(nextTaskState(state, step)).toBe(next)
  })

  it('that stopped itself is stopped, not done', () => {
    expect(['done', 'cancelled', 'came-back-dead', 'interrupted'].map(endedState)).toEqual([
      ...['done', 'cancelled', 'stopped', 'stopped'],
    ])
  })
})
