import { fork } from 'node:child_process'
import { once } from 'node:events'
import { declareQueue, deleteQueue, openUnprovedManagement, Session } from 'warrenmq/operations'
import { readServerSection } from '../../packages/cli/dist/http-api/read-server-section.js'
import { createApiServer, listen } from '../../packages/cli/dist/http-api/server.js'
import { task } from './participant.mjs'

const { url, managementUrl, queue, target, messages } = task
const dlqs = Array.from({ length: 20 }, (_, at) => `bench-serve-${at}.dlq`)

/** The admin API on the broker of the bench, and as many clients as are asked for, in a process of their own. */
export async function startServer({ pollers = 0, streams = 0 } = {}) {
  const consuming = await Session.open(url, { name: 'bench serve consuming' })
  const publishing = await Session.open(url, { name: 'bench serve publishing' })
  const management = openUnprovedManagement(managementUrl)
  const channel = await consuming.openChannel()
  for (const name of dlqs) await declareQueue(channel, { queue: name })
  const settings = readServerSection({ auth: 'none', port: 0, anyQueue: ['admin'] })
  const broker = { consuming, publishing, management, vhost: consuming.vhost, topology: undefined }
  const app = await createApiServer({ broker, settings, version: 'bench' })
  const address = await listen(app, settings)
  const clients = pollers + streams > 0 ? await startClients(address, { pollers, streams }) : undefined

  /** Moves everything; the clients poll before it begins and until it is done. Gives their slowest request. */
  async function redrive() {
    const answer = await fetch(`${address}/api/v1/redrives`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ queue, to: target }),
    })
    const { id } = await answer.json()
    clients?.send({ id })
    await (await fetch(`${address}/api/v1/tasks/${id}/events`)).text()
    const receipt = await (await fetch(`${address}/api/v1/tasks/${id}/receipt`)).json()
    if (receipt.moved !== messages || !receipt.isBalanced) throw new Error(JSON.stringify(receipt))
    if (!clients) return 0
    clients.send({ isDone: true })
    const [{ slowestSeconds, failed }] = await once(clients, 'message')
    if (failed > 0) throw new Error(`${failed} requests were not answered with 200.`)
    return slowestSeconds
  }

  async function close() {
    await app.close()
    for (const name of dlqs) await deleteQueue(channel, name)
    management.close()
    await Promise.all([consuming.close(), publishing.close()])
  }

  return { redrive, close }
}

async function startClients(address, counts) {
  const clients = fork(new URL('serve-clients.mjs', import.meta.url), [
    JSON.stringify({ address, ...counts }),
  ])
  await once(clients, 'message') // each has had its first answer
  return clients
}
