// Consoles: each polls a list every two seconds, some watch the task. A process of their own, forked by serve-run.
const { address, pollers, streams } = JSON.parse(process.argv[2])
const lists = ['dlqs', 'tasks', 'history', 'approvals']
const everyMs = 2_000

let isDone = false
let slowestSeconds = 0
let failed = 0

async function ask(at) {
  const startedAt = performance.now()
  const answer = await fetch(`${address}/api/v1/${lists[at % lists.length]}`)
  await answer.arrayBuffer()
  if (answer.status !== 200) failed += 1
  slowestSeconds = Math.max(slowestSeconds, (performance.now() - startedAt) / 1000)
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
    const watch = () => fetch(`${address}/api/v1/tasks/${message.id}/events`).then((answer) => answer.text())
    for (let at = 0; at < streams; at += 1) watch().catch(() => undefined)
    return
  }
  isDone = true
  process.send({ slowestSeconds, failed }, () => process.exit(0))
})
