import { ProtocolError } from '../protocol-error.ts'

/** How many of something a vhost or a user may have, by RabbitMQ's names. Below nought there is no limit. */
export type Limits = ReadonlyMap<string, number>

const known = {
  vhost: { names: ['max-connections', 'max-queues'], title: 'limits' },
  user: { names: ['max-connections', 'max-channels'], title: 'user-limits' },
} as const

/** What is wrong with a limit, in RabbitMQ's words, or nothing. `rendered` is the value as Erlang prints it. */
export function findLimitProblem(
  kind: keyof typeof known,
  { name, value, rendered }: { name: string; value: unknown; rendered: string },
): string | undefined {
  const { names, title } = known[kind]
  if (!(names as readonly string[]).includes(name)) {
    return `Unrecognised terms [{<<"${name}">>,${rendered}}] in ${title}`
  }
  return Number.isInteger(value) ? undefined : `${name} should be a number, actually was ${rendered}`
}

/** The limit that is reached with so many, if there is one. */
export function reachedLimit(limits: Limits | undefined, name: string, count: number): number | undefined {
  const limit = limits?.get(name)
  return limit !== undefined && limit >= 0 && count >= limit ? limit : undefined
}

/** Refuses a queue that is one too many. */
export function checkQueueLimit(
  vhost: { readonly name: string; readonly limits: Limits | undefined; readonly queues: { size: number } },
  queue: string,
): void {
  const limit = reachedLimit(vhost.limits, 'max-queues', vhost.queues.size)
  if (limit === undefined) return
  throw new ProtocolError(
    'PRECONDITION_FAILED',
    `cannot declare queue '${queue}': queue limit in vhost '${vhost.name}' (${limit}) is reached`,
  )
}

/** `limit` is what the version prints. */
export function tooManyChannels(whose: string, limit: string): string {
  return `number of channels opened for user '${whose}' has reached the maximum allowed user limit of ${limit}`
}
