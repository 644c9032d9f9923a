import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { ApiError } from '../../errors.ts'
import { messageFilter } from '../../recovery/filter-message.ts'
import { createCauseGroups } from '../../recovery/group-causes.ts'
import { type LookReport, lookAtQueue } from '../../recovery/look-at-queue.ts'
import { parseFilter } from '../../recovery/parse-filter.ts'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/decide-access.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import type { MessageDetail, MessagePage, MessageQuery, MessageSummary } from '../contract.ts'
import { describeMessage, keyOf, summarise } from '../describe-message.ts'
import { endpoints } from '../endpoints.ts'
import { countMessages, listDlqs } from '../list-dlqs.ts'
import { refuseHiddenFields } from '../refuse-hidden-fields.ts'

export const addDlqRoutes: AddRoutes = (add, context) => {
  const { line } = context

  add(endpoints.listDlqs, async ({ caller }) => {
    const found = (await listDlqs(line)).filter(({ queue }) => mayReadQueue(caller, queue))
    const items = found.map(async ({ queue, type, consumers, sources, knownBy }) => ({
      ...{ queue, type, sources, knownBy, consumers: consumers ?? null },
      messages: await countMessages(line, queue),
    }))
    return { vhost: line.vhost, items: await Promise.all(items) }
  })

  add(endpoints.listCauses, async ({ params: { queue }, caller }) => {
    const groups = createCauseGroups()
    const { present, seen } = await look(context, { queue, caller, onMessage: groups.add })
    const causes = groups.list().map(({ first, last, sample, ...cause }) => ({
      ...cause,
      ...{ first: first ?? null, last: last ?? null, sample: sample ?? null },
    }))
    return { queue, present, seen, causes }
  })

  add(endpoints.listMessages, ({ params: { queue }, query, caller }) =>
    readPage(context, { queue, query, caller }),
  )

  add(endpoints.showMessage, async ({ params: { queue, key }, caller }) => {
    const isShown = permissionsOf(caller.role, context.settings).includes('payload:read')
    const { maskedPaths } = context.settings
    let found: MessageDetail | undefined
    const onMessage = (message: IncomingMessage): void => {
      if (!found && keyOf(message) === key) found = describeMessage(message, { isShown, maskedPaths })
    }
    await look(context, { queue, caller, onMessage })
    if (found) return found
    throw new ApiError({
      code: 'API_NOT_FOUND',
      message: `The message ${key} is not in "${queue}" any more. List its messages again.`,
    })
  })
}

interface Look {
  readonly queue: string
  readonly caller: Caller
  readonly count?: number
  readonly onMessage: (message: IncomingMessage) => void
}

/** Shows messages and leaves them, when nobody else of this server has the queue. */
async function look(
  { line, tasks, turns }: ApiContext,
  { queue, caller, count, onMessage }: Look,
): Promise<LookReport> {
  tasks.refuseIfBusy(queue)
  return turns.look(queue, () =>
    lookAtQueue({ ...line, queue, by: caller.name, ...(count !== undefined && { count }), onMessage }),
  )
}

/** How far one request looks for messages that match; the next page goes on from there. */
const mostLookedAt = 20_000

/** A page from the place that the cursor names: so many messages from the head. */
async function readPage(
  context: ApiContext,
  { queue, query, caller }: { queue: string; query: MessageQuery; caller: Caller },
): Promise<MessagePage> {
  const { limit, where } = query
  const start = query.cursor === undefined ? 0 : Number.parseInt(query.cursor, 36)
  if (where !== undefined) refuseHiddenFields(parseFilter(where), { caller, settings: context.settings })
  const isWanted = where === undefined ? () => true : messageFilter(parseFilter(where), Date.now())
  const items: MessageSummary[] = []
  let position = 0
  let end = start
  const { present, seen } = await look(context, {
    ...{ queue, caller, count: start + (where === undefined ? limit : mostLookedAt) },
    onMessage: (message) => {
      position += 1
      if (position <= start || items.length >= limit) return
      end = position
      if (isWanted(message)) items.push(summarise(message))
    },
  })
  const isEnd = end >= present || seen <= start
  return { queue, present, items, nextCursor: isEnd ? null : end.toString(36) }
}
