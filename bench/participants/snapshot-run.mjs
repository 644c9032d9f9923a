import { openUnprovedManagement, pause, Session } from 'warrenmq/operations'
import { readServerSection } from '../../packages/cli/dist/http-api/read-server-section.js'
import { createApiServer, listen } from '../../packages/cli/dist/http-api/server.js'
import { task } from './participant.mjs'

const { url, managementUrl, queue, messages } = task

/** The admin API on the broker of the bench, and a snapshot of its queue. */
export async function startServer() {
  const consuming = await Session.open(url, { name: 'bench snapshot consuming' })
  const publishing = await Session.open(url, { name: 'bench snapshot publishing' })
  const management = openUnprovedManagement(managementUrl)
  const settings = readServerSection({ auth: 'none', port: 0, anyQueue: ['admin'] })
  const broker = { consuming, publishing, management, vhost: consuming.vhost, topology: undefined }
  const app = await createApiServer({ broker, settings, version: 'bench' })
  const path = `${await listen(app, settings)}/api/v1/dlqs/${encodeURIComponent(queue)}/snapshots`

  async function get(address) {
    const answer = await fetch(address)
    const content = await answer.json()
    if (answer.status !== 200) throw new Error(JSON.stringify(content))
    return content
  }

  async function makeSnapshot() {
    const { id } = await (await fetch(path, { method: 'POST' })).json()
    for (;;) {
      const snapshot = await get(`${path}/${id}`)
      if (snapshot.state === 'done' && snapshot.messages === messages) return `${path}/${id}`
      if (snapshot.state !== 'running') throw new Error(JSON.stringify(snapshot))
      await pause(20, new AbortController().signal)
    }
  }

  async function close() {
    await app.close()
    management.close()
    await Promise.all([consuming.close(), publishing.close()])
  }

  return { get, makeSnapshot, close }
}

const warmUps = 20
const reads = 101

/** Tells the median of one read as its seconds, the same after a few that do not count. */
export async function measureRead(read) {
  const { get, makeSnapshot, close } = await startServer()
  const snapshot = await makeSnapshot()
  const times = []
  for (let at = 0; at < warmUps + reads; at += 1) {
    const startedAt = performance.now()
    await read({ get, snapshot, at })
    if (at >= warmUps) times.push(performance.now() - startedAt)
  }
  await close()
  const seconds = times.toSorted((left, right) => left - right)[Math.floor(reads / 2)] / 1_000
  const others = { messages, messagesPerSecond: 0, cpuMicrosPerMessage: 0 }
  const peakMemoryMiB = process.resourceUsage().maxRSS / 1024
  process.stdout.write(`${JSON.stringify({ ...others, peakMemoryMiB, seconds })}\n`)
}
