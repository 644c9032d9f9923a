import { type BrokerVersion, isAtLeast } from '../../message/broker-version.ts'
import { knownFaults } from '../../message/known-faults.ts'
import { didYouMean } from '../../message/suggest-name.ts'
import type { CompiledQueue } from '../compiled-topology.ts'
import type { ArgumentValue } from '../declaration.ts'
import { type KnownArgument, knownArguments } from '../known-arguments.ts'
import type { BrokenProperty } from './finding.ts'
import type { TopologyGraph } from './topology-graph.ts'
import { rulesFor } from './version-rules.ts'

/** Every argument does on this version what it was written for. */
export function* proveRightForVersion({ declared }: TopologyGraph): Generator<Broken> {
  // RabbitMQ refuses a policy that it cannot take, so only arguments are looked at.
  const { brokerVersion: version, queues } = declared
  // Both are the same for every queue, and comparing versions is not free.
  const rules = rulesFor(version)
  const tooNew = argumentsAfter(version)
  yield* proveVersion(version)
  for (const queue of queues) {
    for (const name of Object.keys(queue.arguments)) {
      const known = Object.hasOwn(knownArguments, name) ? knownArguments[name] : undefined
      const isRight = known?.types.includes(queue.type) === true && !tooNew.has(name)
      const value = queue.arguments[name]
      if (!isRight && value !== undefined) yield* proveArgument({ queue, name, value, version })
    }
    for (const { applies, code, happening, problem, wayOut } of rules) {
      if (applies(queue)) yield { code, queue: queue.name, problem, wayOut, path: [queue.name, happening] }
    }
  }
}

function argumentsAfter(version: BrokerVersion): ReadonlySet<string> {
  const isTooNew = ([, { since }]: [string, KnownArgument]) =>
    since !== undefined && !isAtLeast(version, since)
  return new Set(
    Object.entries(knownArguments)
      .filter(isTooNew)
      .map(([name]) => name),
  )
}

type Broken = BrokenProperty<'right-for-version'>

function* proveVersion(version: BrokerVersion): Generator<Broken> {
  if (!isAtLeast(version, '3.10.0')) {
    yield {
      code: 'unsupported-version',
      queue: undefined,
      path: [`RabbitMQ ${version.text}`],
      problem: 'Before RabbitMQ 3.10 quorum queues have no message TTL and no at-least-once dead-lettering.',
      wayOut: 'Upgrade to 3.10 or later.',
    }
  }
  for (const { text } of knownFaults(version).filter(({ id }) => id === 'unordered-deaths')) {
    yield {
      code: 'known-fault',
      queue: undefined,
      path: [`RabbitMQ ${version.text}`],
      problem: text,
      wayOut: 'Upgrade to 3.13.3 or later.',
    }
  }
}

interface ArgumentOfQueue {
  readonly queue: CompiledQueue
  readonly name: string
  readonly value: ArgumentValue
  readonly version: BrokerVersion
}

/** What is wrong with an argument that is not right. */
function* proveArgument({ queue, name, value, version }: ArgumentOfQueue): Generator<Broken> {
  const known = Object.hasOwn(knownArguments, name) ? knownArguments[name] : undefined
  const path = [queue.name, `${name}=${JSON.stringify(value)}`]
  if (known === undefined) {
    if (!name.startsWith('x-')) return
    yield {
      code: 'ignored',
      queue: queue.name,
      path,
      problem: `RabbitMQ does not know the argument ${name}; it accepts and ignores it${didYouMean(name, Object.keys(knownArguments))}`,
      wayOut: 'Correct the name, or remove it.',
    }
  } else if (!known.types.includes(queue.type)) {
    yield {
      code: 'refused',
      queue: queue.name,
      path,
      problem: `A ${queue.type} queue does not support ${name}; the broker refuses the declaration (406).`,
      wayOut: `Remove it, or make the queue ${known.types.join(' or ')}.`,
    }
  } else {
    yield {
      code: 'ignored',
      queue: queue.name,
      path,
      problem: `RabbitMQ supports ${name} from ${known.since} on; ${version.text} accepts and ignores it.`,
      wayOut: 'Upgrade, or do not rely on it.',
    }
  }
}
