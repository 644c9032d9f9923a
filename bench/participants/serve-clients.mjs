// Consoles: each polls a list every two seconds, some watch the task. A process of their own, forked by serve-run, and
// no busier than it must be: it shares the processors with the server and the broker, which consoles do not.
import { Agent, get } from 'node:http'

const { address, pollers, streams } = JSON.parse(process.argv[2])
const lists = ['dlqs', 'tasks', 'history', 'approvals']
const everyMs = 2_000

const agent = new Agent({ keepAlive: true })

let isDone = false
let slowestSeconds = 0
let failed = 0

async function ask(at) {
  const startedAt = performance.now()
  if ((await readAll(`/api/v1/${lists[at % lists.length]}`)) !== 200) failed += 1
  slowestSeconds = Math.max(slowestSeconds, (performance.now() - startedAt) / 1000)
}

/** The status, when the last byte is there. */
function readAll(path) {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer) =>
      answer
        .on('end', () => resolve(answer.statusCode))
        .on('error', reject)
        .resume()
    get(`${address}${path}`, { agent }, onAnswer).on('error', reject)
  })
}

async function poll(at) {
  // Not all at the same moment, as people do not open their consoles at the same moment.
  await pause((at / pollers) * everyMs)
  while (!isDone) {
    await ask(at)
    await pause(everyMs)
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

// The first answers of a process are slow for reasons of its own.
for (let at = 0; at < 20; at += 1) await ask(at)
slowestSeconds = 0
for (let at = 0; at < pollers; at += 1) void poll(at)
process.send({ isReady: true })
process.on('message', (message) => {
  if (message.id !== undefined) {
    for (let at = 0; at < streams; at += 1)
      readAll(`/api/v1/tasks/${message.id}/events`).catch(() => undefined)
    return
  }
  isDone = true
  process.send({ slowestSeconds, failed }, () => process.exit(0))
})
