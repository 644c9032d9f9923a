import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createOpenResponses } from './open-responses.ts'

/** Whether or not there was an error before. */
function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
  })
}

/** A server that answers nothing, and a connection to it. */
async function setUp() {
  const open = createOpenResponses()
  const server = createServer((request, response) => {
    open.add(request, response)
    server.emit('asked')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  const [socket] = await accepted
  return { open, server, client, socket }
}

it('forgets with a connection all that was asked for on it, also what Node never closes', async () => {
  const { open, server, client, socket } = await setUp()
  const asked = once(server, 'asked')
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(30))
  await asked
  const before = open.size

  const closed = whenClosed(socket)
  client.resetAndDestroy()
  await closed

  expect(before).toBeGreaterThan(1)
  expect(open.size).toBe(0)
})

it('keeps nothing of a connection that was cut before its requests were read', async () => {
  const { open, client, socket } = await setUp()
  const closed = whenClosed(socket)
  client.resetAndDestroy()
  await closed

  const request = new IncomingMessage(socket)
  open.add(request, new ServerResponse(request))

  expect(open.size).toBe(0)
})

it('breaks off what is open', async () => {
  const { open, server, client } = await setUp()
  const asked = once(server, 'asked')
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
  await asked

  const closed = whenClosed(client)
  open.destroy()
  await closed

  expect(open.size).toBe(0)
})
