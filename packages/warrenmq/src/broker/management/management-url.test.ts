import { describe, expect, it } from 'vitest'
import { deriveManagementUrl, locateManagement, parseManagementUrl } from './management-url.ts'

describe('deriveManagementUrl', () => {
  it.each([
    ['amqp://localhost', 'http://guest:guest@localhost:15672'],
    ['amqp://', 'http://guest:guest@localhost:15672'],
    ['amqp://u:p@a:5673,b:5674/v', 'http://u:p@a:15672'],
    ['amqp://u:p@broker:5673/vhost?heartbeat=5', 'http://u:p@broker:15672'],
    ['amqps://u:p%40ss@broker', 'https://u:p%40ss@broker:15671'],
    ['amqp://[::1]:5672/', 'http://guest:guest@[::1]:15672'],
  ])('%s gives %s', (amqpUrl, managementUrl) => {
    expect(deriveManagementUrl(amqpUrl)).toBe(managementUrl)
  })

  it.each(['http://u:secret@host', 'u:secret@host', '', 'amqp//u:secret@host'])('%j is refused', (url) => {
    expect(() => deriveManagementUrl(url)).toThrowError(
      expect.objectContaining({ code: 'CONNECTION_BAD_URL', message: expect.not.stringContaining('secret') }),
    )
  })
})

describe('parseManagementUrl', () => {
  it.each([
    [
      'http://h:15672',
      { isTls: false, host: 'h', port: 15672, pathPrefix: '', username: 'guest', password: 'guest' },
    ],
    ['https://u:p@h', { isTls: true, host: 'h', port: 443, pathPrefix: '', username: 'u', password: 'p' }],
    [
      'http://u%40x:p%2F%3A@h/',
      { isTls: false, host: 'h', port: 80, pathPrefix: '', username: 'u@x', password: 'p/:' },
    ],
    [
      'http://u@h:1/rabbit/api/',
      { isTls: false, host: 'h', port: 1, pathPrefix: '/rabbit', username: 'u', password: '' },
    ],
    [
      'http://[::1]:9/',
      { isTls: false, host: '::1', port: 9, pathPrefix: '', username: 'guest', password: 'guest' },
    ],
  ])('%s is taken apart', (url, address) => {
    expect(parseManagementUrl(url)).toEqual(address)
  })

  it.each([
    'amqp://u:secret@h',
    'h:15672',
    'ftp://u:secret@h',
    '',
    'http://u:secret@h:port',
    'http://u:%secret@h',
  ])('%j is refused without repeating the password', (url) => {
    const thrown = thrownBy(() => parseManagementUrl(url))

    expect(thrown).toMatchObject({ code: 'MANAGEMENT_BAD_URL' })
    expect(JSON.stringify([thrown, String(thrown), thrown?.cause])).not.toContain('secret')
  })
})

function thrownBy(act: () => unknown): Error | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return error as Error
  }
}

describe('locateManagement', () => {
  it.each([
    ['amqp://me:se%40cret@host/v', 'http://api:1234', 'http://me:se%40cret@api:1234/'],
    ['amqp://me:pw@host/v', 'https://api/rabbit/', 'https://me:pw@api/rabbit/'],
    ['amqp://host', 'http://api:1234', 'http://guest:guest@api:1234/'],
    ['amqp://me:pw@host', 'http://other:word@api:1234', 'http://other:word@api:1234'],
    ['amqp://me:pw@host', 'no address', 'no address'],
  ])('of %s, said to be at %s, is %s', (amqpUrl, said, managementUrl) => {
    expect(locateManagement(amqpUrl, said)).toEqual({ managementUrl, isManagementGuessed: false })
  })

  it.each([undefined, ''])('guesses where %j was said', (said) => {
    const guessed = { managementUrl: 'http://me:pw@host:15672', isManagementGuessed: true }

    expect(locateManagement('amqp://me:pw@host:5673/v', said)).toEqual(guessed)
  })
})
