import {
  createCauseGroups,
  type GroupOptions,
  type IncomingMessage,
  parseGroupBy,
  seenInPart,
} from 'warrenmq/operations'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import type { MessagePage, MessageQuery, MessageSummary } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { listSharedMs } from '../dlqs/dlq-lists.ts'
import { type DlqLook, findMessage, lookAtDlq, workOnSome } from '../dlqs/look-at-dlq.ts'
import { readDlqs } from '../dlqs/read-dlqs.ts'
import { selectFor } from '../dlqs/select-for.ts'
import { refuseHiddenGroups } from '../guards/refuse-hidden-fields.ts'
import { describeMessage, summarise } from '../show/describe-message.ts'
import { payloadRulesFor, showsAll } from '../show/payload-rules.ts'
import { tick } from '../show/rendered-answers.ts'
import { causesOfSnapshot, messageOfSnapshot, messagesOfSnapshot } from '../snapshots/messages-of-snapshot.ts'

export const addDlqRoutes: AddRoutes = (add, context) => {
  const { broker } = context

  add(
    endpoints.listDlqs,
    async ({ caller }) => ({ vhost: broker.vhost, items: await readDlqs(context, caller) }),
    () => tick(listSharedMs),
  )

  add(endpoints.listCauses, async ({ params: { queue }, query, caller, reply }) => {
    const { snapshot: id } = query
    if (id !== undefined) return causesOfSnapshot({ context, caller }, { queue, id }, query)
    const groups = createCauseGroups(groupsFor(context, caller, query.groupBy))
    const isWanted = selectFor(context, caller, query.where) ?? (() => true)
    const onMessage = (message: IncomingMessage): void => {
      if (isWanted(message)) groups.add(message)
    }
    const { present, seen, isWhole } = await lookAtDlq(context, { queue, caller, reply, onMessage })
    const causes = groups.list().map(({ first, last, sample, by = [], splits = [], ...cause }) => ({
      ...cause,
      by,
      splits,
      first: first ?? null,
      last: last ?? null,
      sample: sample ?? null,
    }))
    return { queue, present, seen, isWhole, asOf: null, causes }
  })

  add(endpoints.listMessages, ({ params: { queue }, query, caller, reply }) => {
    const { snapshot: id } = query
    if (id !== undefined) return messagesOfSnapshot({ context, caller }, { queue, id }, query)
    return readPage(context, { queue, query, caller, reply })
  })

  add(endpoints.showMessage, async ({ params: { queue, key }, query, caller, reply }) => {
    const { snapshot: id } = query
    if (id !== undefined) return messageOfSnapshot({ context, caller }, { queue, id }, key)
    const rules = payloadRulesFor(caller, context.settings)
    return findMessage(context, { queue, key, caller, reply }, (message) => ({
      asOf: null,
      ...describeMessage(message, { key, rules }),
    }))
  })
}

/** What is asked to tell messages apart by; else what can be shown to the caller. */
function groupsFor(
  { settings }: Pick<ApiContext, 'settings'>,
  caller: Caller,
  groupBy: string | undefined,
): GroupOptions {
  if (groupBy === undefined)
    return { splits: showsAll(payloadRulesFor(caller, settings)) ? 'all' : 'without-body' }
  const fields = parseGroupBy(groupBy)
  refuseHiddenGroups(fields, { caller, settings })
  return { groupBy: fields }
}

/** How far one request looks for messages that match; the next page goes on from there. */
const mostLookedAt = 20_000

/** A page from the place that the cursor names: so many messages from the head. */
async function readPage(
  context: ApiContext,
  { query, ...place }: Pick<DlqLook, 'queue' | 'caller' | 'reply'> & { readonly query: MessageQuery },
): Promise<MessagePage> {
  const { queue, caller } = place
  const { limit, where } = query
  const start = query.cursor === undefined ? 0 : Number.parseInt(query.cursor, 36)
  const isWanted = selectFor(context, caller, where) ?? (() => true)
  const items: MessageSummary[] = []
  let position = 0
  let end = start
  const { present, seen, isWhole } = await lookAtDlq(context, {
    ...place,
    count: start + (where === undefined ? limit : mostLookedAt),
    onMessage: (message) => {
      position += 1
      if (position <= start || items.length >= limit) return
      end = position
      if (isWanted(message)) items.push(summarise(message, context.nameMessage(message, caller)))
    },
  })
  if (!isWhole && seen <= start)
    throw seenInPart({ queue, unknown: 'this page cannot be shown', wayOut: workOnSome })
  const isEnd = end >= present || seen <= start
  const nextCursor = isEnd ? null : end.toString(36)
  return { queue, present, isWhole: isWhole || items.length === limit, asOf: null, items, nextCursor }
}
