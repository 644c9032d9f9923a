import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { takeFreePorts } from '../support/node/free-ports.ts'
import { onFreePorts } from '../support/node/on-free-ports.ts'

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

test('what finds its port taken by another is started once more, on a port of its own', async () => {
  const [taken, free] = (await takeFreePorts(2)) as [number, number]
  await listen(taken)
  const ports = [taken, free]

  const server = await onFreePorts(() => listen(ports.shift()!))

  expect(server.address()).toMatchObject({ port: free })
})

test('what cannot be started for another reason, or finds no free port the second time, is not tried again', async () => {
  const [taken] = (await takeFreePorts(1)) as [number]
  await listen(taken)
  let tries = 0
  const start = (port: number) => () => {
    tries += 1
    return listen(port)
  }

  await expect(onFreePorts(start(65_536))).rejects.toMatchObject({ code: 'ERR_SOCKET_BAD_PORT' })
  expect(tries).toBe(1)
  await expect(onFreePorts(start(taken))).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(tries).toBe(3)
})

test('a proxy never listens where a broker may be about to', async () => {
  const [servers, proxies] = [await takeFreePorts(50), await takeFreePorts(50, { of: 'proxy' })]

  expect(Math.max(...servers)).toBeLessThan(Math.min(...proxies))
})
