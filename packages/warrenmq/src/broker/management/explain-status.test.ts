import { describe, expect, it } from 'vitest'
import { ManagementError } from '../../errors.ts'
import { explainNoAnswer, explainStatus } from './explain-status.ts'
import { RequestTimeout, ResponseTooLarge } from './http-request.ts'
import { parseManagementUrl } from './management-url.ts'

const context = {
  address: parseManagementUrl('http://jane:secret@broker:15672'),
  subject: 'queue "orders" in vhost "/"',
  timeoutMs: 500,
  maxResponseBytes: 1000,
}

describe('explainStatus', () => {
  it.each([
    [
      401,
      'not_authorized',
      'Login failed',
      'MANAGEMENT_UNAUTHORIZED',
      'Check the user name and the password',
    ],
    [401, 'not_authorized', 'Not_Authorized', 'MANAGEMENT_UNAUTHORIZED', 'refused the login of "jane"'],
    [
      401,
      'not_authorised',
      'User can only log in via localhost',
      'MANAGEMENT_UNAUTHORIZED',
      'use another user',
    ],
    [401, 'not_authorised', 'Not management user', 'MANAGEMENT_FORBIDDEN', 'needs the tag "management"'],
    [
      401,
      'not_authorised',
      'Not administrator user',
      'MANAGEMENT_FORBIDDEN',
      'needs the tag "administrator"',
    ],
    [
      401,
      'not_authorised',
      'Access refused.',
      'MANAGEMENT_FORBIDDEN',
      'Access refused. It needs permissions on the vhost',
    ],
    [
      401,
      'not_authorised',
      'User not authorised to access virtual host',
      'MANAGEMENT_FORBIDDEN',
      '"jane" may not read queue "orders"',
    ],
    [
      404,
      'Object Not Found',
      'Not Found',
      'MANAGEMENT_NOT_FOUND',
      'There is no queue "orders" in vhost "/" at broker:15672',
    ],
    [
      404,
      'not_found',
      "no queue 'x' in vhost '/'",
      'MANAGEMENT_NOT_FOUND',
      "may see: no queue 'x' in vhost '/'.",
    ],
    [400, 'bad_request', "inequivalent arg 'x'", 'MANAGEMENT_REFUSED', "(status 400): inequivalent arg 'x'."],
    [
      400,
      'bad_request',
      'Failed\n\n&lt;&lt;"x"&gt;&gt; is bad\n',
      'MANAGEMENT_REFUSED',
      'Failed <<"x">> is bad.',
    ],
    [405, 'method_not_allowed', 'no', 'MANAGEMENT_REFUSED', '(status 405): no.'],
  ])('%i %s, %j is %s', (status, error, reason, code, sentence) => {
    const explained = explainStatus(status, JSON.stringify({ error, reason }), context)

    expect(explained).toMatchObject({ code })
    expect(explained.message).toContain(sentence)
    expect(explained.message).not.toContain('secret')
  })

  it.each([
    [500, '', 'failed with status 500'],
    [502, '<html>', 'failed with status 502'],
    [404, '<html>', "is not RabbitMQ's management API"],
    [301, '', "is not RabbitMQ's management API"],
    [400, '[]', "is not RabbitMQ's management API"],
  ])('%i with the body %j is not an answer of the API', (status, body, sentence) => {
    const explained = explainStatus(status, body, context)

    expect(explained).toMatchObject({ code: 'MANAGEMENT_UNEXPECTED_ANSWER' })
    expect(explained.message).toContain(sentence)
  })
})

describe('explainNoAnswer', () => {
  const errorOf = (code: string) => Object.assign(new Error(code), { code })

  it.each([
    [new RequestTimeout(), 'MANAGEMENT_TIMEOUT', 'did not answer within 500 ms'],
    [new ResponseTooLarge(), 'MANAGEMENT_UNEXPECTED_ANSWER', 'larger than 1000 bytes'],
    [errorOf('ECONNREFUSED'), 'MANAGEMENT_UNREACHABLE', 'rabbitmq-plugins enable rabbitmq_management'],
    [errorOf('ECONNRESET'), 'MANAGEMENT_UNREACHABLE', 'write https:// if it expects TLS'],
    [errorOf('ENOTFOUND'), 'MANAGEMENT_UNREACHABLE', '--management-url'],
    [
      errorOf('DEPTH_ZERO_SELF_SIGNED_CERT'),
      'MANAGEMENT_UNREACHABLE',
      'Give the CA that signed its certificate',
    ],
    [errorOf('ERR_TLS_CERT_ALTNAME_INVALID'), 'MANAGEMENT_UNREACHABLE', 'No trusted connection'],
    [errorOf('HPE_INVALID_CONSTANT'), 'MANAGEMENT_UNEXPECTED_ANSWER', 'not of AMQP'],
    [errorOf('EPROTO'), 'MANAGEMENT_UNEXPECTED_ANSWER', 'http or https'],
  ])('%s is %s', (error, code, sentence) => {
    const explained = explainNoAnswer(error, context) as ManagementError

    expect(explained).toBeInstanceOf(ManagementError)
    expect(explained).toMatchObject({ code })
    expect(explained.message).toContain(sentence)
    expect(explained.message).toContain('broker:15672')
  })

  it('writes an IPv6 address with brackets', () => {
    const address = parseManagementUrl('http://[::1]:15672')

    const explained = explainNoAnswer(errorOf('ECONNREFUSED'), { ...context, address }) as ManagementError

    expect(explained.message).toContain('[::1]:15672')
  })

  it('leaves what is not about the network as it is', () => {
    const reason = new Error('stopped by the user')

    expect(explainNoAnswer(reason, context)).toBe(reason)
  })
})
