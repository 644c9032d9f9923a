import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import type { Clock } from 'warrenmq/operations'
import { watchConnections } from './watch-connections.ts'

/** A clock that is turned by hand, with one task at a time. */
function setup() {
  let nowMs = 0
  let next: { readonly atMs: number; readonly task: () => void } | undefined
  const clock: Clock = {
    now: () => nowMs,
    schedule: (delayMs, task) => {
      next = { atMs: nowMs + delayMs, task }
      return () => {}
    },
  }
  const pass = (ms: number): void => {
    const endMs = nowMs + ms
    while (next && next.atMs <= endMs) {
      const { atMs, task } = next
      next = undefined
      nowMs = atMs
      task()
    }
    nowMs = endMs
  }
  return { watch: watchConnections(clock), pass, isLooking: () => next !== undefined }
}

function connection(writableLength = 0, bytesWritten = 0) {
  const socket = Object.assign(new EventEmitter(), {
    writableLength,
    bytesWritten,
    isDestroyed: false,
    destroy: () => Object.assign(socket, { isDestroyed: true }),
  })
  return socket as typeof socket & Socket
}

function response(socket: unknown = null) {
  const made = Object.assign(new EventEmitter(), { socket, closes: 0, isDestroyed: false })
  Object.assign(made, { destroy: () => Object.assign(made, { isDestroyed: true }) })
  made.on('close', () => {
    made.closes += 1
  })
  return made as Omit<typeof made, 'socket'> & ServerResponse
}

it('a response that waits behind another is closed with its connection, and the one before it is left to Node', () => {
  const { watch } = setup()
  const socket = connection()
  const first = response(socket)
  const second = response()
  expect([watch(socket, first), watch(socket, second)]).toEqual([1, 2])

  socket.emit('close')

  expect([first.closes, second.closes]).toEqual([0, 1])
  expect(second.isDestroyed).toBe(true)
})

it('a connection is watched for as long as one of its responses is', () => {
  const { watch, pass, isLooking } = setup()
  const socket = connection()
  const [first, second] = [response(socket), response()]
  watch(socket, first)
  watch(socket, second)
  first.emit('finish')
  first.emit('close')
  expect(watch(socket, response())).toBe(2)
  expect(socket.listenerCount('close')).toBe(1)

  socket.emit('close')
  pass(5_000)

  expect(isLooking()).toBe(false)
  expect(socket.listenerCount('close')).toBe(0)
})

it('a connection on which nothing is read for a minute is cut', () => {
  const { watch, pass } = setup()
  const socket = connection(1_000, 5_000)
  watch(socket, response(socket))

  pass(55_000)
  expect(socket.isDestroyed).toBe(false)
  pass(10_000)

  expect(socket.isDestroyed).toBe(true)
})

it.each([
  ['some of what waits leaves', { writableLength: 999, bytesWritten: 5_000 }],
  ['more is written, as much as leaves', { writableLength: 1_000, bytesWritten: 6_000 }],
  ['nothing waits, since nothing is answered yet', { writableLength: 0, bytesWritten: 5_000 }],
])('a connection is kept where %s', (_, later) => {
  const { watch, pass } = setup()
  const socket = connection(1_000, 5_000)
  watch(socket, response(socket))

  pass(50_000)
  Object.assign(socket, later)
  pass(50_000)

  expect(socket.isDestroyed).toBe(false)
})
