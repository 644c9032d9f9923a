import { warrenHeaders } from '../../message/warren-headers.ts'
import type { CompiledBinding, CompiledExchange, CompiledQueue, QueueRole } from '../compiled-topology.ts'
import type { Arguments, BindingDeclaration } from '../declaration.ts'
import type { FlowHeaders } from '../queue-flow.ts'
import type { ResolvedQueue } from './layout.ts'
import type { LayoutName } from './layout-names.ts'

export function durableExchange(name: string, type: string): CompiledExchange {
  return { name, type, durable: true, autoDelete: false, internal: false, arguments: {} }
}

/** A queue of a layout. Wait and dead-letter queues are durable whatever the work queue is. */
export function layoutQueue({ name, role, layout, of, args }: QueuePart): CompiledQueue {
  const isWork = role === 'work'
  return {
    name,
    type: of.type,
    durable: isWork ? of.durable : true,
    autoDelete: isWork ? of.autoDelete : false,
    arguments: withExtra(args, extraArguments(role, of)),
    role,
    owner: of.name,
    layout,
  }
}

interface QueuePart {
  readonly name: string
  readonly role: QueueRole
  readonly layout: LayoutName
  readonly of: ResolvedQueue
  readonly args: Arguments
}

// Most queues have none, and a copy for each of many thousand is felt.
function withExtra(args: Arguments, extra: Arguments): Arguments {
  return Object.keys(extra).length === 0 ? args : { ...args, ...extra }
}

function extraArguments(role: QueueRole, of: ResolvedQueue): Arguments {
  if (role === 'work') return of.arguments
  return role === 'wait' ? (of.retry?.arguments ?? {}) : of.deadLetterArguments
}

export function bindQueue(queue: string, source: string, key: string): CompiledBinding {
  return { source, destination: queue, destinationType: 'queue', key, arguments: {} }
}

export function declaredBindings(
  queue: string,
  bind: readonly BindingDeclaration[],
): readonly CompiledBinding[] {
  return bind.map(({ exchange, key, arguments: args }) => ({
    ...bindQueue(queue, exchange, key ?? ''),
    arguments: args ?? {},
  }))
}

/** The header names of seeds 1 to 3. */
export const seedHeaders: FlowHeaders = {
  attempts: warrenHeaders.retryCount,
  originalExchange: warrenHeaders.originalExchange,
  originalRoutingKey: warrenHeaders.originalRoutingKey,
  originalQueue: warrenHeaders.originalQueue,
  finalStatusCode: warrenHeaders.finalStatusCode,
  finalError: warrenHeaders.finalError,
  finalRetryCount: warrenHeaders.finalRetryCount,
}
