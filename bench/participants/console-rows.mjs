import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { openUnprovedManagement, Session } from 'warrenmq/operations'
import { startEmbeddedBroker } from 'warrenmq/testing'
import { readServerSection } from '../../packages/cli/dist/http-api/read-server-section.js'
import { createApiServer } from '../../packages/cli/dist/http-api/server.js'
import { task } from './participant.mjs'

// A browser opens the console of a server with so many dead-letter queues. What counts is when the first row is there;
// how long a frame takes while the list is scrolled is told.

const warmUps = 3
const opens = 11

const items = Array.from({ length: task.messages }, (_, index) => ({
  queue: `team.${index}.dlq`,
  type: 'quorum',
  messages: task.messages - index,
  unacknowledged: 0,
  total: task.messages - index,
  perSecond: 0,
  consumers: 0,
  originConsumers: 1,
  oldestDeath: null,
  mainCause: null,
  sources: [`team.${index}`],
  knownBy: 'name',
}))
const list = `id: 1\nevent: dlqs\ndata: ${JSON.stringify({ isWhole: true, items, gone: [] })}\n\n`

const broker = await startEmbeddedBroker()
const consuming = await Session.open(broker.url, { name: 'bench consuming' })
const publishing = await Session.open(broker.url, { name: 'bench publishing' })
const management = openUnprovedManagement(broker.managementUrl)
const settings = readServerSection({ auth: 'none', port: 0 })
const app = await createApiServer({
  broker: { consuming, publishing, management, vhost: consuming.vhost, topology: undefined },
  settings,
  version: 'bench',
  consoleFolder: resolve('packages/cli/dist/console'),
})
// The list is written by hand: a broker with ten thousand queues takes minutes to make.
const server = createServer((request, response) => {
  if (!request.url.startsWith('/api/v1/events')) return app.routing(request, response)
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(list)
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${server.address().port}/console/`
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
const page = await browser.newPage()

const times = []
for (let open = 0; open < warmUps + opens; open += 1) {
  await page.goto(url)
  await page.getByRole('link', { name: 'team.0.dlq' }).waitFor()
  const shownAfter = await page.evaluate('performance.now()')
  if (open >= warmUps) times.push(shownAfter)
}
const seconds = times.toSorted((left, right) => left - right)[Math.floor(opens / 2)] / 1_000
const frameSeconds = await page.evaluate(scrollList)
const peakMemoryMiB = process.resourceUsage().maxRSS / 1024
const others = { messages: task.messages, messagesPerSecond: 0, cpuMicrosPerMessage: 0 }
process.stdout.write(`${JSON.stringify({ ...others, peakMemoryMiB, seconds, frameSeconds })}\n`)

await browser.close()
server.closeAllConnections()
server.close()
await app.close()
management.close()
await Promise.all([consuming.close(), publishing.close()])
await broker.stop()

/** In the page: the length of the frame that 95 of 100 frames keep, while each scrolls a part of the list, to its end and back. */
async function scrollList() {
  const list = document.querySelector('[role=grid]')
  const steps = 200
  const lengths = []
  let last = performance.now()
  for (let step = 0; step < steps; step += 1) {
    const way = step < steps / 2 ? step : steps - step
    list.scrollTo(0, (way / (steps / 2)) * (list.scrollHeight - list.clientHeight))
    await new Promise((drawn) => requestAnimationFrame(drawn))
    lengths.push(performance.now() - last)
    last = performance.now()
  }
  return lengths.toSorted((left, right) => left - right)[Math.floor(0.95 * steps)] / 1_000
}

function findChromium() {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find((file) => existsSync(file))
  if (found) return found
  throw new Error('There is no chromium on the PATH. Install it, for example with apt-get install chromium.')
}
