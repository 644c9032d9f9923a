import { describe, expect, it } from 'vitest'
import { readBrokerOptions } from './broker-options.ts'

const read = (options: Record<string, string>, env: Record<string, string> = {}) =>
  readBrokerOptions({ options, env })

describe('the address of the broker', () => {
  it('is the local one where nobody says anything', () => {
    expect(read({}, { AMQP_URL: '' })).toEqual({
      url: 'amqp://localhost',
      isUrlGuessed: true,
      managementUrl: 'http://guest:guest@localhost:15672',
      isManagementGuessed: true,
      vhost: '/',
    })
  })

  it('comes from the options before the environment', () => {
    const env = { AMQP_URL: 'amqp://a/one', MANAGEMENT_URL: 'http://a:1' }

    expect(read({}, env)).toMatchObject({
      url: 'amqp://a/one',
      managementUrl: 'http://guest:guest@a:1/',
      vhost: 'one',
    })
    expect(read({ url: 'amqp://b/two', managementUrl: 'http://me:pw@b:2' }, env)).toEqual({
      url: 'amqp://b/two',
      isUrlGuessed: false,
      managementUrl: 'http://me:pw@b:2',
      isManagementGuessed: false,
      vhost: 'two',
    })
  })

  it.each([
    ['amqp://me:se%40cret@host:5673/v', 'http://me:se%40cret@host:15672'],
    ['amqps://me:pw@host', 'https://me:pw@host:15671'],
    ['amqp://me:pw@one:5673,two,three:5674/v', 'http://me:pw@one:15672'],
    ['amqp://[::1]:5673/v', 'http://guest:guest@[::1]:15672'],
  ])('%s has its management API at %s', (url, managementUrl) => {
    expect(read({ url }).managementUrl).toBe(managementUrl)
  })

  it.each([
    ['amqp://host', 'amqp://host/a%2Fb'],
    ['amqp://me:pw@host:1/old?heartbeat=5', 'amqp://me:pw@host:1/a%2Fb?heartbeat=5'],
  ])('--vhost takes the place of the path in %s', (url, expected) => {
    expect(read({ url, vhost: 'a/b' })).toMatchObject({ url: expected, vhost: 'a/b' })
  })
})
