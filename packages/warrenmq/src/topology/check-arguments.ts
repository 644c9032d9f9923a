import type { TopologyMistake } from '../errors.ts'
import { type Path, renderPath } from './check-shape.ts'
import type { Arguments, QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import { argumentProblem } from './known-arguments.ts'

/** Queue and exchange arguments of the wrong type, and those that have a setting of their own. */
export function checkArguments(topology: TopologyDeclaration): readonly TopologyMistake[] {
  const ofQueues = Object.entries<QueueDeclaration>(topology.queues).flatMap(([name, queue]) => [
    ...checkTable(queue.arguments, ['queues', name, 'arguments']),
    ...checkTable((queue.retry || undefined)?.arguments, ['queues', name, 'retry', 'arguments']),
    ...checkTable((queue.deadLetter || undefined)?.arguments, ['queues', name, 'deadLetter', 'arguments']),
  ])
  const ofExchanges = Object.entries(topology.exchanges ?? {}).flatMap(([name, exchange]) =>
    checkAlternate(exchange.arguments?.['alternate-exchange'], [
      'exchanges',
      name,
      'arguments',
      'alternate-exchange',
    ]),
  )
  return [...ofQueues, ...ofExchanges]
}

function checkTable(args: Arguments | undefined, path: Path): readonly TopologyMistake[] {
  return Object.entries(args ?? {}).flatMap(([name, value]) => {
    const at = renderPath([...path, name])
    if (name === 'x-queue-type') return [{ path: at, problem: 'is set by "type" of the queue' }]
    const problem = argumentProblem(name, value)
    return problem === undefined ? [] : [{ path: at, problem }]
  })
}

function checkAlternate(value: unknown, path: Path): readonly TopologyMistake[] {
  if (value === undefined || typeof value === 'string') return []
  return [{ path: renderPath(path), problem: 'must be the name of an exchange' }]
}
