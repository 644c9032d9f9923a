import { defineTopology } from 'warrenmq'
import { applyPlan, openUnprovedManagement, planDeployment, Session } from 'warrenmq/operations'
import { task } from './participant.mjs'

// What `warren plan` costs beyond the broker's own answer: the time of a plan, less that of reading the same pages
// of the management API and looking at none. Four queues are made for each that is declared.
const vhost = 'bench-plan'
const { username, password, origin } = new URL(task.managementUrl)
const authorization = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
const call = async (method, path, body) => {
  const headers = { authorization, 'content-type': 'application/json' }
  const answer = await fetch(`${origin}/api/${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
  return answer.arrayBuffer()
}

const queues = {}
for (let index = 0; index < task.messages / 4; index += 1) {
  queues[`service-${index}.orders`] = {
    type: 'classic',
    bind: [{ exchange: 'orders.events', key: `order.${index}.*` }],
    retry: { delays: ['5s', '30s'] },
  }
}
const topology = defineTopology({ exchanges: { 'orders.events': { type: 'topic' } }, queues })
const management = openUnprovedManagement(task.managementUrl)
await call('PUT', `vhosts/${vhost}`)
await call('PUT', `permissions/${vhost}/${username}`, { configure: '.*', write: '.*', read: '.*' })
try {
  const session = await Session.open(Object.assign(new URL(task.url), { pathname: `/${vhost}` }).href)
  await applyPlan(session, (await planDeployment(topology, { management, vhost })).plan)
  await session.close()

  const answering = await secondsOf(() =>
    Promise.all([
      call('GET', 'overview'),
      ...['exchanges', 'queues', 'bindings', 'policies', 'operator-policies'].map((page) =>
        call('GET', `${page}/${vhost}`),
      ),
    ]),
  )
  const startedCpu = process.cpuUsage()
  let plan
  const planning = await secondsOf(async () => {
    plan = (await planDeployment(topology, { management, vhost })).plan
  })
  const { user, system } = process.cpuUsage(startedCpu)
  if (!plan.isEmpty) throw new Error('The plan should be empty.')
  const report = {
    messages: task.messages,
    seconds: Math.max(0, planning - answering),
    messagesPerSecond: task.messages / planning,
    cpuMicrosPerMessage: (user + system) / task.messages,
    peakMemoryMiB: process.resourceUsage().maxRSS / 1024,
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
} finally {
  management.close()
  await call('DELETE', `vhosts/${vhost}`)
}

async function secondsOf(work) {
  const startedAt = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - startedAt) / 1e9
}
