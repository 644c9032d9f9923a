import { exchange } from '../actors/scenario.ts'
import type { Fault } from '../nemesis/faults.ts'
import type { Stage } from './stage.ts'

/** Something that an administrator changes, and changes back. */
export interface Change {
  make(): Promise<unknown>
  undo(): Promise<unknown>
}

/**
 * What a fault does through the HTTP API; undefined if it does nothing there. A classic queue deletes what is above its
 * length, whatever it is told to do about it, when the limit comes and when the broker starts (measured on 3.10, 4.0 and
 * 4.3; quorum queues keep what they have). Nobody could keep a promise about that, so classic queues become not full. The
 * limit of others is raised before it is taken away: whoever a quorum queue has turned away does not hear on 3.10 that a
 * policy is gone.
 */
export function changeOf({ kind, choice }: Pick<Fault, 'kind' | 'choice'>, stage: Stage): Change | undefined {
  const { queue, deadLetterQueue } = stage.flow
  const isClassic = stage.plan.scenario.topology.queues[stage.plan.scenario.workQueue]?.type === 'classic'
  const overflow = 'reject-publish'
  const full = { definition: { overflow, 'max-length': Math.floor(choice * 4) }, priority: 9 }
  const last = { overflow, 'max-length': 100_000 }
  switch (kind) {
    case 'unbind':
      return unbind(stage)
    case 'forbid':
      return forbid(stage)
    case 'target-full':
      if (isClassic) return undefined
      return rule(stage, 'full', { pattern: `^${queue}$`, ...full, last })
    case 'dead-letters-full':
      if (deadLetterQueue === undefined || isClassic) return undefined
      return rule(stage, 'dead-full', { pattern: `^${deadLetterQueue}$`, ...full, last })
    case 'policy': {
      const definition = choice < 0.5 ? { 'max-length': 100_000 } : { 'max-length-bytes': 1_000_000_000 }
      return rule(stage, 'shop', { pattern: '^(shop|freeflow)', definition, priority: 1 })
    }
    default:
      return undefined
  }
}

function unbind({ plan, flow, vhost, management }: Stage): Change {
  const between = `/api/bindings/${encodeURIComponent(vhost)}/e/${exchange}/q/${encodeURIComponent(flow.queue)}`
  const key = plan.scenario.layout === 'event-bus' ? '' : 'order.*'
  return {
    make: async () => {
      const found = await management<{ properties_key: string }[]>('GET', between)
      for (const { properties_key } of found)
        await management('DELETE', `${between}/${encodeURIComponent(properties_key)}`)
    },
    undo: () => management('POST', between, { routing_key: key, arguments: {} }),
  }
}

function forbid({ vhost, user, management }: Stage): Change {
  const path = `/api/permissions/${encodeURIComponent(vhost)}/${user}`
  const all = { configure: '.*', write: '.*', read: '.*' }
  return {
    make: () => management('PUT', path, { ...all, write: '^$' }),
    undo: () => management('PUT', path, all),
  }
}

interface Rule {
  readonly pattern: string
  readonly priority: number
  readonly definition: object
  /** Before it is taken away. */
  readonly last?: object
}

function rule({ vhost, management }: Stage, name: string, { definition, last, ...policy }: Rule): Change {
  const path = `/api/policies/${encodeURIComponent(vhost)}/${name}`
  const put = (of: object): Promise<unknown> =>
    management('PUT', path, { 'apply-to': 'queues', ...policy, definition: of })
  return {
    make: () => put(definition),
    undo: async () => {
      if (last) await put(last)
      try {
        await management('DELETE', path)
      } catch (error) {
        if (!String(error).includes('answered 404')) throw error
      }
    },
  }
}
