import { createCauseGroups } from '../../recovery/group-causes.ts'
import { seenInPart } from '../../recovery/seen-in-part.ts'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/decide-access.ts'
import type { MessagePage, MessageQuery, MessageSummary } from '../contract.ts'
import { describeMessage, summarise } from '../describe-message.ts'
import { listSharedMs } from '../dlq-lists.ts'
import { endpoints } from '../endpoints.ts'
import { findMessage, lookAtDlq, workOnSome } from '../look-at-dlq.ts'
import { payloadRulesFor } from '../payload-rules.ts'
import { tick } from '../rendered-answers.ts'
import { selectFor } from '../select-for.ts'

export const addDlqRoutes: AddRoutes = (add, context) => {
  const { line, dlqs } = context

  add(
    endpoints.listDlqs,
    async ({ caller }) => {
      const found = (await dlqs.list()).filter(({ queue }) => mayReadQueue(caller, queue))
      const items = found.map(async ({ queue, type, consumers, sources, knownBy }) => ({
        ...{ queue, type, sources, knownBy, consumers: consumers ?? null },
        messages: await dlqs.count(queue),
      }))
      return { vhost: line.vhost, items: await Promise.all(items) }
    },
    () => tick(listSharedMs),
  )

  add(endpoints.listCauses, async ({ params: { queue }, caller }) => {
    const groups = createCauseGroups()
    const { present, seen, isWhole } = await lookAtDlq(context, { queue, caller, onMessage: groups.add })
    const causes = groups.list().map(({ first, last, sample, ...cause }) => ({
      ...cause,
      ...{ first: first ?? null, last: last ?? null, sample: sample ?? null },
    }))
    return { queue, present, seen, isWhole, causes }
  })

  add(endpoints.listMessages, ({ params: { queue }, query, caller }) =>
    readPage(context, { queue, query, caller }),
  )

  add(endpoints.showMessage, async ({ params: { queue, key }, caller }) => {
    const rules = payloadRulesFor(caller, context.settings)
    return findMessage(context, { queue, key, caller }, (message) => describeMessage(message, { key, rules }))
  })
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
  const isWanted = selectFor(context, caller, where) ?? (() => true)
  const items: MessageSummary[] = []
  let position = 0
  let end = start
  const { present, seen, isWhole } = await lookAtDlq(context, {
    ...{ queue, caller, count: start + (where === undefined ? limit : mostLookedAt) },
    onMessage: (message) => {
      position += 1
      if (position <= start || items.length >= limit) return
      end = position
      if (isWanted(message)) items.push(summarise(message, context.nameMessage(message)))
    },
  })
  if (!isWhole && seen <= start)
    throw seenInPart({ queue, unknown: 'nobody knows what this page has', wayOut: workOnSome })
  const isEnd = end >= present || seen <= start
  const nextCursor = isEnd ? null : end.toString(36)
  return { queue, present, isWhole: isWhole || items.length === limit, items, nextCursor }
}
