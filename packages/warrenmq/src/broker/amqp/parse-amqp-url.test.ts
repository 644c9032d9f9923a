import { describe, expect, it } from 'vitest'
import { describeEndpoint, parseAmqpUrl } from './parse-amqp-url.ts'

describe('an AMQP URL', () => {
  it.each([
    ['amqp://localhost', 'amqp://localhost:5672/', 'guest'],
    ['amqp://', 'amqp://localhost:5672/', 'guest'],
    ['amqps://broker.example', 'amqps://broker.example:5671/', 'guest'],
    ['amqp://me:secret@host:7/orders', 'amqp://host:7/orders', 'me'],
    ['amqp://me%40home:s%3Acret@host/%2f', 'amqp://host:5672/', 'me@home'],
    ['amqp://[::1]:5673/a%2Fb', 'amqp://[::1]:5673/a%2Fb', 'guest'],
    ['amqp://host/', 'amqp://host:5672/', 'guest'],
  ])('%s leads to %s as %s', (url, shown, username) => {
    const [endpoint] = parseAmqpUrl(url)

    expect(describeEndpoint(endpoint!)).toBe(shown)
    expect(endpoint!.username).toBe(username)
  })

  it('gives the password to who asks for it, decoded', () => {
    expect(parseAmqpUrl('amqp://me:s%3Acr%40t@host')[0]!.password.reveal()).toBe('s:cr@t')
  })

  it('may name several hosts', () => {
    expect(parseAmqpUrl('amqp://u:p@a,b:5673,[::1]/v').map(describeEndpoint)).toEqual([
      'amqp://a:5672/v',
      'amqp://b:5673/v',
      'amqp://[::1]:5672/v',
    ])
  })

  it('may carry options', () => {
    const url = 'amqp://host?heartbeat=5&frame_max=8192&channel_max=10&connection_timeout=900'

    expect(parseAmqpUrl(url)[0]).toMatchObject({
      heartbeatSeconds: 5,
      frameMax: 8192,
      channelMax: 10,
      connectTimeoutMs: 900,
    })
  })

  it.each([
    'localhost',
    'amqp//localhost',
    'amqp://u:secret@host:port',
    'amqp://u:secret@host:99999',
    'amqp://u:secret%@host',
    'amqp://u:secret@host?heartbeat=soon',
    'amqp://u:secret@host?nonsense=1',
    'amqp://u:secret',
    'amqp://u:top@secret@host',
    'amqp://u:secret/1@host',
    'amqp://u:1/secret@host',
    'amqp://u:1@2/secret@host',
    'amqp://u:1/2?secret@host:5672/',
    'amqp://u:1/2?heartbeat=5&secret@host:5672/',
    'amqp://u:1@2/3?secret=4@host',
    'amqp://u:99999/2?secret@host',
  ])('%s is refused without repeating it', (url) => {
    expect(() => parseAmqpUrl(url)).toThrowError(
      expect.objectContaining({ code: 'CONNECTION_BAD_URL', message: expect.not.stringContaining('secret') }),
    )
  })

  it.each(['amqp://app:s3/cr?et@rabbit:5672/', 'amqp://app:s3@cret@rabbit', 'amqp://app:s3/cret@rabbit'])(
    '%s is refused with the word that its password must be percent-encoded',
    (url) => {
      expect(() => parseAmqpUrl(url)).toThrowError(
        expect.objectContaining({ message: expect.stringContaining('must be percent-encoded') }),
      )
      expect(() => parseAmqpUrl(url)).toThrowError(
        expect.objectContaining({ message: expect.not.stringMatching(/s3|et@|rabbit/) }),
      )
    },
  )

  it('names an option that it does not know', () => {
    expect(() => parseAmqpUrl('amqp://u:p@host/v?nonsense=1')).toThrowError(/unknown option "nonsense"/)
  })
})
