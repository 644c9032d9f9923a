import { describe, expect, test } from 'vitest'
import { explainSocketError } from './explain-socket-error.ts'
import { parseAmqpUrl } from './parse-amqp-url.ts'

const plain = parseAmqpUrl('amqp://broker.example')[0]!
const tls = parseAmqpUrl('amqps://broker.example')[0]!
const failure = (code: string, message = `connect ${code}`) => Object.assign(new Error(message), { code })

const systemCodes = [
  ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'EPERM', 'EACCES', 'EINVAL', 'ENETDOWN'],
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE'],
]

describe.each([plain, tls])('a socket that cannot be opened', (endpoint) => {
  test.each(systemCodes)(`with %s is told by its code and tried again (TLS: ${endpoint.isTls})`, (code) => {
    const error = explainSocketError(failure(code), endpoint)

    expect(error).toMatchObject({ code: 'CONNECTION_REFUSED', isFinal: false })
    expect(error.message).toContain(`(${code})`)
    expect(error.message).not.toMatch(/TLS|certificate/)
  })
})

const tlsFailures = [
  failure('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
  failure('ERR_TLS_CERT_ALTNAME_INVALID', 'altnames'),
  failure('EPROTO', 'write EPROTO wrong version number'),
  failure('ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'),
]

test.each(tlsFailures)('a failure of TLS is final where TLS is spoken: $code', (cause) => {
  expect(explainSocketError(cause, tls)).toMatchObject({ code: 'CONNECTION_TLS_FAILED', isFinal: true })
})

test.each(tlsFailures)('a plain connection never blames certificates, not even for $code', (cause) => {
  expect(explainSocketError(cause, plain)).toMatchObject({ code: 'CONNECTION_REFUSED', isFinal: false })
})

test('a reset of the connection is no failure of TLS', () => {
  expect(explainSocketError(failure('ECONNRESET', 'read ECONNRESET'), tls).code).toBe('CONNECTION_REFUSED')
})
