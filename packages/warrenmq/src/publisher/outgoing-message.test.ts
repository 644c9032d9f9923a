import { describe, expect, it } from 'vitest'
import { readProperty } from '../wire/properties.ts'
import { encodeMessage, type OutgoingMessage } from './outgoing-message.ts'

function encode(fields: object) {
  return encodeMessage({ key: 'orders', body: '', ...fields } as OutgoingMessage, {
    messageId: 'id',
    nowMs: 1_700_000_000_000,
  })
}

function refusal(sentence: string) {
  return expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(sentence) })
}

describe('a body', () => {
  const floats = new Float32Array([1.5])

  it.each<[string, unknown, Buffer, string | undefined]>([
    ['a Buffer', Buffer.from([1, 2]), Buffer.from([1, 2]), 'application/octet-stream'],
    ['an ArrayBuffer', new Uint8Array([1, 2]).buffer, Buffer.from([1, 2]), 'application/octet-stream'],
    [
      'a part of an ArrayBuffer',
      new Uint8Array([1, 2, 3]).subarray(1),
      Buffer.from([2, 3]),
      'application/octet-stream',
    ],
    [
      'a DataView',
      new DataView(new Uint8Array([1, 2]).buffer, 1),
      Buffer.from([2]),
      'application/octet-stream',
    ],
    ['floats', floats, Buffer.from(floats.buffer), 'application/octet-stream'],
    ['text', 'ä', Buffer.from('ä'), 'text/plain; charset=utf-8'],
    ['an object', { id: 1 }, Buffer.from('{"id":1}'), 'application/json'],
    ['an empty object', {}, Buffer.from('{}'), 'application/json'],
    ['an object of a class without fields', new (class Ping {})(), Buffer.from('{}'), 'application/json'],
    ['an object without a prototype', Object.create(null), Buffer.from('{}'), 'application/json'],
    ['null', null, Buffer.from('null'), 'application/json'],
    ['objects that are empty', { a: {}, b: '{}' }, Buffer.from('{"a":{},"b":"{}"}'), 'application/json'],
  ])('of %s is sent', (_, body, bytes, contentType) => {
    const message = encode({ body })

    expect(message.body).toEqual(bytes)
    expect(readProperty(message.properties, 'contentType')).toBe(contentType)
  })

  it.each<[string, unknown, string]>([
    ['a Map', new Map([['a', 1]]), 'A body that is a Map cannot be sent: as JSON it would be {}.'],
    ['a Set', new Set([1]), 'is a Set'],
    ['a Blob', new Blob(['x']), 'is a Blob'],
    ['a promise', Promise.resolve({ id: 1 }), 'is a promise. Await it first.'],
    ['a thenable', Object.create(Promise.resolve()), 'is a promise. Await it first.'],
    ['a date that is none', new Date(Number.NaN), 'is a Date cannot be sent: as JSON it would be null'],
    ['an Error', new Error('gone'), 'is an Error'],
    ['a stream', new ReadableStream(), 'is a ReadableStream'],
    ['a Response', new Response('x'), 'is a Response'],
    ['a generator', (function* () {})(), 'is a Generator'],
    ['a regular expression', /x/, 'is a RegExp'],
    [
      'an object with a promise in it',
      { order: { customer: Promise.resolve({ id: 1 }) } },
      'The field "customer" of the body is a Promise, which JSON would turn into {}. Await it first.',
    ],
    [
      'an object with a Map in it',
      { totals: new Map([['a', 1]]) },
      'The field "totals" of the body is a Map',
    ],
    ['a list with a Set in it', [new Set([1])], 'The field "0" of the body is a Set'],
    ['an object with bytes in it', { bytes: new ArrayBuffer(2) }, '"bytes" of the body is an ArrayBuffer'],
    ['not a number', Number.NaN, 'is NaN'],
    ['endless', Number.POSITIVE_INFINITY, 'is Infinity'],
    ['undefined', undefined, 'type undefined'],
    ['a function', () => 1, 'type function'],
    ['a bigint', 5n, 'cannot be written as JSON'],
  ])('that is %s is refused', (_, body, sentence) => {
    expect(() => encode({ body })).toThrow(refusal(sentence))
  })
})

describe('what RabbitMQ would close the channel or the connection over', () => {
  it.each<[string, object, string]>([
    ['a header that is no number', { headers: { price: Number.NaN } }, 'price is NaN'],
    ['an expiration over ten years', { expirationMs: 315_360_000_001 }, 'expirationMs is 315360000001'],
    ['a negative expiration', { expirationMs: -1 }, 'expirationMs is -1'],
    ['a broken expiration', { expirationMs: 1.5 }, 'expirationMs is 1.5'],
    ['an expiration that is text', { expirationMs: '5s' }, 'expirationMs is 5s'],
    ['CC that is text', { headers: { CC: 'copy' } }, 'CC must be a list of routing keys'],
    ['CC with a number in it', { headers: { CC: [5] } }, 'CC must be a list of routing keys'],
    ['BCC that is null', { headers: { BCC: null } }, 'BCC must be a list of routing keys'],
    ['a filter value that is no text', { headers: { 'x-stream-filter-value': 5 } }, 'must be text'],
    ['headers that are text', { headers: 'a' }, 'headers must be an object'],
    ['headers that are a list', { headers: [1] }, 'headers must be an object'],
    ['headers that are a Map', { headers: new Map([['a', 1]]) }, 'headers must be an object'],
    ['a priority over 255', { priority: 256 }, 'priority is 256'],
    ['a type that is a number', { type: 5 }, 'type is 5'],
    ['a timestamp that is a number', { timestamp: 5 }, 'timestamp is 5'],
    ['a timestamp before 1970', { timestamp: new Date(-1) }, 'timestamp'],
    ['a timestamp that is no date', { timestamp: new Date(Number.NaN) }, 'timestamp'],
    ['an id cut inside a character', { messageId: 'a\ud83d' }, 'half a character'],
    ['an id over 255 bytes', { messageId: 'x'.repeat(256) }, '256 bytes'],
  ])('is refused here: %s', (_, fields, sentence) => {
    expect(() => encode(fields)).toThrow(refusal(sentence))
  })

  it.each<[string, object]>([
    ['ten years', { expirationMs: 315_360_000_000 }],
    ['no wait at all', { expirationMs: 0 }],
    ['copies', { headers: { CC: ['a', 'b'], BCC: [] } }],
    ['the last date', { timestamp: new Date(8.64e15), headers: { at: new Date(8.64e15) } }],
    ['no headers', { headers: null }],
  ])('is not refused without a reason: %s', (_, fields) => {
    expect(() => encode(fields)).not.toThrow()
  })
})
