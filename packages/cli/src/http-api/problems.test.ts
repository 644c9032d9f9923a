import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ChannelError, ConnectionError, ManagementError } from 'warrenmq'
import { RecoveryError } from 'warrenmq/operations'
import { problemOf, statusByCode } from './problems.ts'

/** A code is the only thing in that file that is written in capitals with an underscore. */
const codes = [
  ...new Set(
    readFileSync(new URL('../../../warrenmq/src/errors.ts', import.meta.url), 'utf8').match(
      /\b[A-Z]+(?:_[A-Z]+)+\b/g,
    ),
  ),
]

it('of every error it is decided what who asked is told, and of none that there is not', () => {
  expect(Object.keys(statusByCode).toSorted()).toEqual(codes.toSorted())
})

it.each(Object.entries(statusByCode).filter(([code]) => code.startsWith('API_') && code !== 'API_FAILED'))(
  'an error of the API is told with its own words: %s',
  (_, status) => {
    expect(status).toBeTypeOf('number')
    expect([400, 401, 403, 404, 405, 406, 409, 413, 422, 429, 503]).toContain(status)
  },
)

it.each([
  ['body.limit must be integer', 'body.limit must be integer. See /docs for what is expected.'],
  [
    'body.limt is not known; did you mean "limit"?',
    'body.limt is not known; did you mean "limit"? See /docs for what is expected.',
  ],
])('what is wrong with a request is told in whole sentences: %s', (message, detail) => {
  expect(problemOf({ statusCode: 400, message })).toMatchObject({ code: 'API_REQUEST_INVALID', detail })
})

describe('an error between the server and RabbitMQ', () => {
  const secrets = 'amqp://warren:secret@10.0.0.7:5672 /var/lib/warren/kept'

  it.each([
    new ConnectionError({ code: 'CONNECTION_REFUSED', message: secrets }),
    new ChannelError({ code: 'CHANNEL_CLOSED', message: secrets }),
    new ChannelError({ code: 'CHANNEL_CLOSED_BY_BROKER', message: secrets, replyCode: 403 }),
    new ChannelError({ code: 'CHANNEL_LIMIT_REACHED', message: secrets }),
    new ChannelError({ code: 'CHANNEL_TIMEOUT', message: secrets }),
    new ManagementError({ code: 'MANAGEMENT_UNREACHABLE', message: secrets }),
    new ManagementError({ code: 'MANAGEMENT_FORBIDDEN', message: secrets }),
    new RecoveryError({ code: 'BACKUP_NOT_WRITTEN', message: secrets }),
  ])('is told by its code and what to do, and names nothing of the server: $code', (error) => {
    const problem = problemOf(error)

    expect(problem).toMatchObject({ status: 503, title: 'Not available right now', code: error.code })
    expect(problem.detail).not.toContain('10.0.0.7')
    expect(problem.detail).toMatch(/(Try again|log|before you try again).*\.$/)
  })

  it('that is a mistake of ours is not told at all', () => {
    const problem = problemOf(new RecoveryError({ code: 'RECEIPT_INVALID', message: secrets }))

    expect(problem).toMatchObject({ status: 500, code: 'API_FAILED' })
    expect(problem.detail).not.toContain('10.0.0.7')
  })
})
