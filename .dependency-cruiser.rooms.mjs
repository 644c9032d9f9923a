// The rooms of the larger folders, in order: what stands in a row sees the rows above its own, and nothing below or
// beside it. A file that belongs to a room and stands elsewhere in the order has a row of its own; its room is what is
// left. To add a room, or a file beside the rooms, put it in its row.
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

const library = 'packages/warrenmq/src'
const houses = [
  {
    folder: `${library}/recovery`,
    rows: [
      ['lock', 'put-back', 'redrive/failed-publish.ts', 'request'],
      ['read'],
      ['look', 'redrive/plan-redrive.ts'],
      ['backup', 'receipt'],
      ['redrive'],
      ['recover'],
      ['receipt/render-receipt.ts'],
    ],
  },
  {
    folder: `${library}/consumer`,
    rows: [
      ['http', 'settle/consumer-headers.ts', 'closing-error.ts'],
      ['settle/near-limit.ts'],
      ['decide'],
      ['run'],
      ['handler-answer.ts', 'remember', 'settle', 'way-out'],
      ['handler.ts', 'run/delivery-result.ts'],
      ['http/http-handler.ts', 'middleware', 'observe', 'remember/remember-result.ts', 'run/run-handler.ts'],
      ['consumer-options.ts'],
      ['check-consumer-options.ts', 'consumer-parts.ts', 'batch', 'named'],
      ['settle-consumer-options.ts', 'read-consume.ts'],
      ['run/handle-delivery.ts', 'run/handler-deadlines.ts', 'run/stream-position.ts', 'run/subscribe.ts'],
      ['amqplib', 'run/runs.ts'],
      ['consumer.ts'],
      ['start-consumer.ts', 'observe/consumer-metrics.ts', 'observe/log-consumer.ts'],
    ],
    exceptions: [
      ['decide/decide-outcome.ts', 'run/handler-result.ts'],
      ['run/delivered-message.ts', 'observe/show-message.ts'],
      ['run/run.ts', 'observe/run-tracing.ts'],
    ],
  },
  {
    folder: `${library}/embedded/model`,
    rows: [
      ['protocol-error.ts', 'describe-resource.ts', 'collections'],
      ['inbox.ts', 'server-names.ts', 'virtual-clock.ts', 'access', 'message'],
      ['assert-same.ts', 'policy'],
      ['queue'],
      ['refuse-unmodelled.ts', 'classic', 'exchange', 'stream'],
      ['profile.ts'],
      ['vhost.ts', 'policy/policy-problem.ts'],
      ['broker.ts'],
      ['queue/dead-letter.ts'],
      ['create-broker.ts'],
      ['bring-up.ts', 'access/actor.ts'],
      ['access/demand-topic.ts', 'exchange/declare-exchange.ts'],
      ['channel'],
      ['profiles', 'quorum'],
      ['queue/declare-queue.ts'],
      ['exchange/bind.ts'],
    ],
    exceptions: [
      ['access/access.ts', 'profile.ts'],
      ['broker.ts', 'channel/reply-target.ts'],
      ['channel/consume.ts', 'queue/declare-queue.ts'],
      ['policy/policies.ts', 'queue/queue-kind.ts'],
      ['profile.ts', 'quorum/quorum-ready.ts'],
      ['queue/check-queue-arguments.ts', 'profile.ts'],
      ['queue/queue.ts', 'profile.ts'],
      ['refuse-unmodelled.ts', 'quorum/quorum-state.ts'],
    ],
  },
  {
    folder: 'packages/cli/src/http-api',
    rows: [
      [
        'server-broker.ts',
        'failure-log.ts',
        'open-responses.ts',
        'public-path.ts',
        'console',
        'contract',
        'records',
      ],
      ['demo-controls.ts', 'problems.ts', 'auth', 'lists'],
      ['notices', 'read-server-section.ts'],
      ['notes', 'once', 'show', 'snapshot-index'],
      ['api-context.ts'],
      ['audit'],
      ['guards'],
      ['route-adder.ts', 'approvals', 'dlqs'],
      ['backups', 'history', 'snapshots', 'topology'],
      ['events'],
      ['tasks'],
      ['redrives', 'vhosts', 'webhooks'],
      ['routes'],
      ['create-context.ts'],
      ['server.ts', 'mounted-server.ts'],
      ['create-vhosts-server.ts'],
    ],
    /** Hold one of each part, so that they see the parts: the context of a request, and the settings of all. */
    gatherers: ['api-context.ts', 'read-server-section.ts'],
    exceptions: [
      ['events/topics.ts', 'tasks/tasks.ts'],
      ['events/topics.ts', 'tasks/visible-tasks.ts'],
      ['notices/notice.ts', 'once/once-answer.ts'],
      ['notices/open-notices.ts', 'approvals/approvals.ts'],
      ['notices/open-notices.ts', 'notes/notes.ts'],
      ['notices/open-notices.ts', 'once/once.ts'],
      ['show/show-receipt.ts', 'guards/refuse-hidden-fields.ts'],
    ],
  },
]

export const roomRules = houses.flatMap(rulesOf)

function rulesOf(house) {
  refuseUnlisted(house)
  refuseNeedless(house)
  const { folder, rows, gatherers = [] } = house
  return rows.flatMap((row, index) =>
    row
      .filter((name) => !gatherers.includes(name))
      .flatMap((name) => ruleOf(house, name, [name, ...rows.slice(0, index).flat()])),
  )

  function ruleOf({ exceptions = [] }, name, seen) {
    const excepted = exceptions.filter(([from]) => from === name || from.startsWith(`${name}/`))
    const everyone = `^${folder}/${name}${isFile(name) ? '$' : '/'}`
    const rule = (title, from, alsoSeen) => ({
      name: `${folder.split('/').pop()}-${title}-sees-only-rows-above`,
      severity: 'error',
      from,
      to: { path: `^${folder}/`, pathNot: [...placesOf(house, seen), ...alsoSeen] },
    })
    const fromPaths = [...new Set(excepted.map(([from]) => from))]
    const exact = (path) => `^${folder}/${escaped(path)}$`
    const others = ['\\.test\\.ts$', ...standingElsewhere(house, name), ...fromPaths.map(exact)]
    return [
      rule(name, { path: everyone, pathNot: others }, []),
      ...fromPaths.map((path) =>
        rule(
          path,
          { path: exact(path) },
          excepted.filter(([from]) => from === path).map(([, to]) => exact(to)),
        ),
      ),
    ]
  }
}

/** The order is whole, or it would say nothing of what was forgotten. */
function refuseUnlisted({ folder, rows }) {
  const present = readdirSync(folder).filter((name) => !/\.test\.ts$|\.md$/.test(name))
  const listed = new Set(rows.flat())
  const missing = present.filter((name) => !listed.has(name))
  if (missing.length > 0) throw new Error(`${folder}: ${missing.join(', ')} has no row in its order.`)
}

/** The exceptions only ever become fewer: one that nobody needs any more is taken out. */
function refuseNeedless({ folder, exceptions = [] }) {
  const isNeeded = ([from, to]) => readFileSync(`${folder}/${from}`, 'utf8').includes(`/${basename(to)}'`)
  for (const exception of exceptions.filter((one) => !isNeeded(one)))
    throw new Error(`${folder}: nobody needs the exception ${exception.join(' > ')} any more.`)
}

/** The files that belong to a room and have a row of their own. */
function standingElsewhere({ folder, rows }, room) {
  return rows
    .flat()
    .filter((name) => name.startsWith(`${room}/`))
    .map((name) => `^${folder}/${escaped(name)}$`)
}

function placesOf(house, names) {
  return names.map((name) => {
    const place = `^${house.folder}/${escaped(name)}`
    if (isFile(name)) return `${place}$`
    const elsewhere = house.rows.flat().filter((other) => other.startsWith(`${name}/`))
    const not = elsewhere.map((other) => `(?!${escaped(other.slice(name.length + 1))}$)`).join('')
    return `${place}/${not}`
  })
}

function isFile(name) {
  return name.endsWith('.ts')
}

function escaped(path) {
  return path.replaceAll('.', '\\.')
}
