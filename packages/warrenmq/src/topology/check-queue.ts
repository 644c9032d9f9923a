import type { TopologyMistake } from '../errors.ts'
import { renderPath } from './check-shape.ts'
import type { QueueDeclaration, QueueType, TopologyDeclaration } from './declaration.ts'
import type { Layout, LayoutSetting } from './layouts/layout.ts'
import { layouts } from './layouts/layouts.ts'
import { readDelay } from './read-delay.ts'
import { isExactQueue, layoutOf, optionsOf } from './resolve-queue.ts'

// RabbitMQ keeps a TTL in 32 bits.
const longestDelayMs = 4_294_967_295

/** Settings of one queue that contradict each other or its layout. */
export function checkQueue({ topology, name, queue }: CheckedQueue): readonly TopologyMistake[] {
  const options = layoutOf(topology, queue)
  const layout = layouts[options.name]
  const at = (...steps: (string | number)[]) => renderPath(['queues', name, ...steps])
  return [
    ...checkRetry({ queue, layout, at }),
    ...checkType({
      queue,
      at,
      type: queue.type ?? (isExactQueue(topology, queue) ? layout.exactType : 'quorum'),
    }),
    ...checkLayoutSettings({ queue, layout, at }),
    ...(queue.role !== undefined && queue.deadLetter !== false
      ? [
          {
            path: at('role'),
            problem:
              'is only for plain queues: a layout sets its own roles. Remove it, or add "deadLetter: false"',
          },
        ]
      : []),
    ...(isExactQueue(topology, queue) && !layout.hasExactForm
      ? [noExactForm(layout, queue.exact === undefined ? 'exact' : at('exact'))]
      : []),
  ]
}

interface CheckedQueue {
  readonly topology: TopologyDeclaration
  readonly name: string
  readonly queue: QueueDeclaration
}

interface QueueAt {
  readonly queue: QueueDeclaration
  readonly layout: Layout
  readonly at: (...steps: (string | number)[]) => string
}

function checkRetry({ queue, layout, at }: QueueAt): readonly TopologyMistake[] {
  const { retry, deadLetter } = queue
  if (retry === undefined) return []
  if (retry === false) return checkNoRetry({ queue, layout, at })
  const mistakes: TopologyMistake[] = (retry.delays ?? []).flatMap((delay, index) =>
    checkDelay(delay, () => at('retry', 'delays', index)),
  )
  if (deadLetter === false) {
    mistakes.push({
      path: at('retry'),
      problem: 'a queue without a dead-letter queue cannot retry; remove "deadLetter: false"',
    })
  }
  if (retry.maxAttempts !== undefined && retry.maxRetries !== undefined) {
    mistakes.push({ path: at('retry'), problem: 'use maxAttempts or maxRetries, not both' })
  }
  if (layout.retriesBy === 'reject' && (retry.delays?.length ?? 1) > 1) {
    const problem = `layout ${layout.name} has one wait queue, so it takes one delay; use layout warren for a ladder`
    mistakes.push({ path: at('retry', 'delays'), problem })
  }
  return mistakes
}

function checkNoRetry({ queue, layout, at }: QueueAt): readonly TopologyMistake[] {
  if (layout.retriesBy === 'publish' || queue.deadLetter === false) return []
  const problem = `layout ${layout.name} is a retry loop and cannot do without retries; use layout warren, or "deadLetter: false" for a plain queue`
  return [{ path: at('retry'), problem }]
}

function checkDelay(delay: unknown, path: () => string): readonly TopologyMistake[] {
  const reading = readDelay(delay)
  if (!reading.isValid) return [{ path: path(), problem: reading.problem }]
  if (reading.milliseconds < 1) return [{ path: path(), problem: 'must be longer than 0' }]
  if (reading.milliseconds > longestDelayMs)
    return [{ path: path(), problem: 'is longer than 49 days, the longest TTL of RabbitMQ' }]
  return []
}

function checkType({
  queue,
  at,
  type,
}: Omit<QueueAt, 'layout'> & { type: QueueType }): readonly TopologyMistake[] {
  const mistakes: TopologyMistake[] = []
  if (queue.type === 'stream' && queue.deadLetter !== false) {
    const problem = 'a stream cannot dead-letter; add "deadLetter: false", or use a quorum queue'
    mistakes.push({ path: at('type'), problem })
  }
  if (type !== 'classic' && queue.durable === false) {
    mistakes.push({ path: at('durable'), problem: `a ${type} queue is always durable` })
  }
  if (type !== 'classic' && queue.autoDelete === true) {
    const problem = `a ${type} queue cannot delete itself; remove this setting, or use "type: classic"`
    mistakes.push({ path: at('autoDelete'), problem })
  }
  return mistakes
}

const parameters = ['prefix', 'namespace', 'domains'] as const

/** Parameters of the topology's layout that belong to another one. */
export function checkLayoutParameters({ layout: choice }: TopologyDeclaration): readonly TopologyMistake[] {
  if (choice === undefined) return []
  const options = optionsOf(choice)
  const said = parameters.filter((setting) => options[setting] !== undefined)
  return said.flatMap((setting) =>
    checkSetting({ layout: layouts[options.name], setting, path: `layout.${setting}` }),
  )
}

function checkLayoutSettings({ queue, layout, at }: QueueAt): readonly TopologyMistake[] {
  const options = queue.layout === undefined ? undefined : optionsOf(queue.layout)
  const own = (['domain', 'poisonLimit'] as const).filter((setting) => queue[setting] !== undefined)
  const ofLayout = parameters.filter((setting) => options?.[setting] !== undefined)
  return [
    ...own.flatMap((setting) => checkSetting({ layout, setting, path: at(setting) })),
    ...ofLayout.flatMap((setting) => checkSetting({ layout, setting, path: at('layout', setting) })),
  ]
}

function checkSetting({ layout, setting, path }: { layout: Layout; setting: LayoutSetting; path: string }) {
  if (layout.settings.includes(setting)) return []
  const owner = Object.values(layouts).find(({ settings }) => settings.includes(setting))
  return [{ path, problem: `has no meaning in layout ${layout.name}; it belongs to ${owner?.name}` }]
}

function noExactForm({ name }: Layout, path: string): TopologyMistake {
  return {
    path,
    problem: `layout ${name} has no original design to follow exactly; remove "exact"`,
  }
}
