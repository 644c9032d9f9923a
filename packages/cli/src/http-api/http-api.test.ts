import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseFilter, RecoveryError, WireError } from 'warrenmq/operations'
import type { Caller } from './auth/caller.ts'
import { refuseHiddenFields } from './guards/refuse-hidden-fields.ts'
import { problemOf } from './problems.ts'
import { readServerSection } from './read-server-section.ts'
import { maskBody } from './show/mask-body.ts'
import { endedState, nextTaskState } from './tasks/task-state.ts'

describe('a masked body', () => {
  it.each([
    ['{"card":{"number":"4111","year":30}}', ['card.number'], '{"card":{"number":"***","year":30}}'],
    ['{"users":[{"name":"a"},{"name":"b"}]}', ['users.name'], '{"users":[{"name":"***"},{"name":"***"}]}'],
    ['{"a":{"x":1},"b":{"x":2}}', ['*.x'], '{"a":{"x":"***"},"b":{"x":"***"}}'],
    ['{"card":{"number":"4111"}}', ['card'], '{"card":"***"}'],
    ['\uFEFF{"card":"4111"}', ['card'], '{"card":"***"}'],
    ['{"card":"4111","card":"1"}', ['card'], '{"card":"***"}'],
  ])('%s by %j is %s', (text, paths, masked) => {
    expect(maskBody(Buffer.from(text), paths)).toEqual({ kind: 'masked', text: masked })
  })

  it.each([
    ['{"a":1,"a:":["a",":"],"\\"b\\":":{"c":"\\":"}}', ['b', 'a.c']],
    ['{"a":1}', []],
    ['no JSON', []],
    ['', ['a']],
    ['[1,2]', ['a']],
  ])('%s by %j is shown as it is', (text, paths) => {
    expect(maskBody(Buffer.from(text), paths)).toEqual({ kind: 'as-it-is' })
  })

  it.each([
    ['no JSON', Buffer.from('card=4111')],
    ['cut off', Buffer.from('{"card":"4111"')],
    ['compressed', gzipSync('{"card":"4111"}')],
    ['in another encoding', Buffer.from('{"card":"4111"}', 'utf16le')],
    ['JSON within text', Buffer.from(JSON.stringify('{"card":"4111"}'))],
    ['nested without end', Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)],
    ['of two fields with one name', Buffer.from('{"a":{"card":"4111"},"a":1}')],
  ])('that is %s is not shown at all, since nobody knows what it holds', (_, body) => {
    expect(maskBody(body, ['a.card', 'card.number'])).toEqual({ kind: 'unreadable' })
  })
})

describe('a filter where payloads are hidden', () => {
  const caller: Caller = { name: 'ann', role: 'viewer', wayIn: 'token', readableQueues: undefined }
  const settings = { hidePayloadsFrom: ['viewer'], maskedPaths: [] } as const

  it.each([
    ...['body.card:4111', 'type:A and not body.card:4111', 'plainword'],
    ...['header.warren-previous:4111', 'header.Warren-Previous:4111'],
  ])('may not ask %s', (where) => {
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
      type: 'urn:warren:problem:RECOVERY_LOCKED',
      title: 'Not now',
      status: 409,
      detail: 'Wait until it is done.',
      code: 'RECOVERY_LOCKED',
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
  const hash = `sha256:${'0'.repeat(64)}`

  it.each(['2028-02-29', '2030-01-31T18:00Z', '2030-01-31T18:00:00.5+02:00'])(
    'takes %s for when a token expires',
    (expires) => {
      const tokens = [{ name: 'ci', role: 'admin', hash, expires }]
      expect(readServerSection({ auth: { tokens } }).tokens).toEqual(tokens)
    },
  )

  it('without a word listens on this machine and asks for accounts of RabbitMQ', () => {
    expect(readServerSection()).toMatchObject({
      host: '127.0.0.1',
      port: 15_680,
      publicPath: '',
      isOpen: false,
      trustedProxies: [],
      accountRoles: { administrator: 'admin' },
    })
  })

  it('takes the key of sessions from the environment only', () => {
    expect(readServerSection({}, { WARREN_SESSION_KEY: 'k'.repeat(32) }).sessionKey).toBe('k'.repeat(32))
    expect(() => readServerSection({ session: { key: 'key' } })).toThrow(/server\.session/)
  })

  it('tells all mistakes at once', () => {
    const given = { porrt: 1, host: 5, auth: { token: [] }, history: { evry: '1s' } }

    expect(() => readServerSection(given)).toThrow(
      [
        'The server section has 4 mistakes:',
        '  server.porrt is unknown; allowed: host, port, path, vhosts, auth, session, trustProxy, payloads, anyQueue, approval, history, backups, snapshots, keyFile, audit, webhooks, console, limits; did you mean "port"?',
        '  server.host must be text',
        '  server.auth.token is unknown; allowed: accounts, tokens, oidc; did you mean "tokens"?',
        '  server.history.evry is unknown; allowed: every, keep; did you mean "every"?',
      ].join('\n'),
    )
  })

  it.each<[Record<string, unknown>, RegExp]>([
    [{ prot: 1 }, /^server\.prot is unknown; allowed: host, port, .*; did you mean "port"\?/],
    [{ path: 'ops' }, /^server\.path must be a path such as \/ops\/warren, .*, not "ops"\.$/],
    [{ port: 'x' }, /^server\.port must be a whole number\.$/],
    [{ port: 70_000 }, /^server\.port must be <= 65535\.$/],
    [{ auth: 'nobody' }, /^server\.auth must be "none" or an object with accounts, tokens, oidc\.$/],
    [{ auth: 5 }, /^server\.auth must be "none" or an object with accounts, tokens, oidc\.$/],
    [
      { auth: { token: [] } },
      /^server\.auth\.token is unknown; allowed: accounts, tokens, oidc; did you mean "tokens"\?/,
    ],
    [
      { auth: { accounts: 'yes' } },
      /^server\.auth\.accounts must be true or false or an object with roles\.$/,
    ],
    [
      { auth: { accounts: { roles: { support: 'boss' } } } },
      /^server\.auth\.accounts\.roles\.support must be "viewer" or "operator" or "admin"\.$/,
    ],
    [{ auth: { tokens: {} } }, /^server\.auth\.tokens must be a list\.$/],
    [{ auth: { oidc: { issuer: 'https://id' } } }, /^server\.auth\.oidc must have .*audience/],
    [
      { auth: { tokens: [{ name: 'a', role: 'admin', hash: 'plain-text' }] } },
      /^server\.auth\.tokens\.0\.hash must match pattern "\^sha256:/,
    ],
    [{ audit: 'sometimes' }, /^server\.audit must be "required" or "on" or "off"\.$/],
    ...['2026-13-01', '2026-02-30', '2030-01-01 or later', '2030-01-01T25:00:00Z', 'soon', ''].map(
      (expires): [Record<string, unknown>, RegExp] => [
        { auth: { tokens: [{ name: 'ci', role: 'admin', hash, expires }] } },
        /the token "ci" expires at ".*", which is not a date\. Write it as 2030-01-31/,
      ],
    ),
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
