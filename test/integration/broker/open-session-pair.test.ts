import { expect, it } from 'vitest'
import { openSessionPair } from '../../../packages/warrenmq/src/broker/amqp/open-session-pair.ts'
import { eventually } from '../../support/eventually.ts'
import { startScriptedServer } from './scripted-server.ts'

it('a pair of sessions whose second is refused is not opened, and the first is closed', async () => {
  const { url, peers } = await startScriptedServer((peer, channel, { name }) => {
    if (name !== 'connection.open' || peer !== peers[1]) return false
    const replyText = "NOT_ALLOWED - access to vhost '/' refused for user 'guest'"
    peer.send(channel, { name: 'connection.close', replyCode: 530, replyText, classId: 10, methodId: 40 })
    return true
  })

  const opening = openSessionPair(url, {})

  await expect(opening).rejects.toMatchObject({ code: 'CONNECTION_ACCESS_REFUSED' })
  expect(peers).toHaveLength(2)
  expect(peers[0]!.received.at(-1)!.method.name).toBe('connection.close')
  await eventually(() => expect(peers.map(({ socket }) => socket.readyState)).not.toContain('open'))
})

it('a pair of sessions is two connections, each with its own options', async () => {
  const { url, peers } = await startScriptedServer(() => false)

  const { consuming, publishing } = await openSessionPair(url, { name: 'reads' }, { name: 'writes' })

  expect([consuming.state, publishing.state]).toEqual(['connected', 'connected'])
  const names = peers.map(({ received }) => String(JSON.stringify(received[0]!.method)))
  expect(names).toEqual([expect.stringContaining('reads'), expect.stringContaining('writes')])
  await Promise.all([consuming.close(), publishing.close()])
})
