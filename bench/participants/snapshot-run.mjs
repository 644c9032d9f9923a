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
const counted = 101

/** Tells the median time of the slowest of some reads as its seconds, each after a few that do not count. */
export async function measureRead(reads) {
  const { get, makeSnapshot, close } = await startServer()
  const snapshot = await makeSnapshot()
  const medians = []
  for (const read of reads) {
    const times = []
    for (let at = 0; at < warmUps + counted; at += 1) {
      const startedAt = performance.now()
      await read({ get, snapshot, at })
      if (at >= warmUps) times.push(performance.now() - startedAt)
    }
    medians.push(times.toSorted((left, right) => left - right)[Math.floor(counted / 2)] / 1_000)
  }
  await close()
  const others = { messages, messagesPerSecond: 0, cpuMicrosPerMessage: 0 }
  const peakMemoryMiB = process.resourceUsage().maxRSS / 1024
  const seconds = Math.max(...medians)
  process.stdout.write(`${JSON.stringify({ ...others, peakMemoryMiB, seconds, medians })}\n`)
}
