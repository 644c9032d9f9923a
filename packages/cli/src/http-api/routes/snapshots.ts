import { ApiError, pause } from 'warrenmq/operations'
import type { AddRoutes, ApiContext, CallOf } from '../api-context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import type { Snapshot } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { createInspector } from '../dlqs/list-dlqs.ts'
import { refuseHiddenFilter } from '../guards/refuse-hidden-fields.ts'
import { describeMessage } from '../show/describe-message.ts'
import { payloadRulesFor } from '../show/payload-rules.ts'
import { countCauses } from '../snapshot-index/count-causes.ts'
import { countFacets } from '../snapshot-index/count-facets.ts'
import { countTimes } from '../snapshot-index/count-times.ts'
import { findInSnapshot } from '../snapshots/find-in-snapshot.ts'
import { findSnapshot, isVisible } from '../snapshots/find-snapshot.ts'
import type { KeptSnapshot } from '../snapshots/kept-snapshot.ts'
import { pageOfSnapshot } from '../snapshots/page-of-snapshot.ts'
import { type SnapshotSelection, selectInSnapshot } from '../snapshots/select-in-snapshot.ts'
import { goneSnapshot } from '../snapshots/snapshots.ts'

/** How long who asks for a snapshot waits to be told that its look was refused. */
const mostRefusalMs = 2_000

export const addSnapshotRoutes: AddRoutes = (add, context) => {
  const { snapshots, renameFor } = context
  const describe = createDescriber(context)

  add(endpoints.makeSnapshot, async (call) => {
    const kept = await makeSnapshot(context, call)
    call.reply.header('location', `/api/v1/dlqs/${encodeURIComponent(kept.queue)}/snapshots/${kept.id}`)
    return describe(kept)
  })

  add(endpoints.listSnapshots, async ({ params: { queue }, caller }) => {
    const visible = snapshots.list(queue).filter((kept) => isVisible(kept, { context, caller }))
    return { queue, items: await Promise.all(visible.map((kept) => describe(kept))) }
  })

  add(endpoints.showSnapshot, async ({ params, caller }) =>
    describe(findSnapshot({ context, caller }, params)),
  )

  add(endpoints.deleteSnapshot, async ({ params, caller, request }) => {
    const kept = findSnapshot({ context, caller }, params)
    refuseForeign(kept, caller)
    await writeAudit(
      context,
      { caller, request },
      { action: 'snapshot.erase', target: kept.queue, result: kept.id },
    )
    await snapshots.erase(kept)
    return undefined
  })

  const select = (
    { params, caller }: { params: { queue: string; id: string }; caller: Caller },
    where: string | undefined,
  ): Promise<SnapshotSelection> =>
    selectInSnapshot({ context, caller }, findSnapshot({ context, caller }, params), where)

  add(endpoints.listSnapshotCauses, async (call) => {
    const { kept, marks, head } = await select(call, call.query.where)
    const { columns } = kept
    const nameOf = (position: number): string => renameFor(columns.keys.at(position), call.caller)
    return { ...head, causes: countCauses(columns, marks, nameOf) }
  })

  add(endpoints.listSnapshotFacets, async (call) => {
    const { kept, marks, head } = await select(call, call.query.where)
    return { ...head, facets: countFacets(kept.columns, marks, call.query.most) }
  })

  add(endpoints.showSnapshotHistogram, async (call) => {
    const { kept, marks, head } = await select(call, call.query.where)
    return { ...head, ...countTimes(kept.columns, marks, call.query.bars) }
  })

  add(endpoints.listSnapshotMessages, async (call) => {
    const { caller, query } = call
    return pageOfSnapshot({ context, caller }, await select(call, query.where), query)
  })

  add(endpoints.showSnapshotMessage, async ({ params, caller }) => {
    const kept = findSnapshot({ context, caller }, params)
    const { message, ...place } = await findInSnapshot({ context, caller }, kept, params.key)
    const { asOf, id: snapshot, queue } = kept.describe()
    const rules = payloadRulesFor(caller, context.settings)
    return { queue, snapshot, asOf, ...place, ...describeMessage(message, { key: params.key, rules }) }
  })
}

/** Begins a look, or joins the one that is under way. One that is refused is told as such. */
async function makeSnapshot(
  context: ApiContext,
  { params: { queue }, body: { where }, caller, request }: CallOf<typeof endpoints.makeSnapshot>,
): Promise<KeptSnapshot> {
  const { snapshots, settings, tasks } = context
  refuseHiddenFilter(where, { caller, settings })
  tasks.refuseIfBusy(queue)
  if (!snapshots.findRunning({ queue, where }))
    await writeAudit(context, { caller, request }, { action: 'snapshot', target: queue })
  const kept = snapshots.start({ queue, where, caller })
  const waiting = new AbortController()
  try {
    await Promise.race([kept.begun, pause(mostRefusalMs, waiting.signal)])
  } catch (error) {
    const why = kept.isErased ? goneSnapshot(kept.id) : error
    await snapshots.erase(kept)
    throw why
  } finally {
    waiting.abort()
  }
  return kept
}

/** Counts are shared for so long; one of before the end was made while the look held the messages. */
const sharedMs = 1_000

/** Describes snapshots with what has become of their queues. */
function createDescriber({ dlqs, broker, snapshots }: ApiContext): (kept: KeptSnapshot) => Promise<Snapshot> {
  const inspectNow = createInspector(broker)
  const countSince = async ({ queue, endedAtMs }: KeptSnapshot): Promise<number | null> => {
    if (endedAtMs === undefined) return null
    if (Date.now() - endedAtMs > sharedMs) return dlqs.count(queue)
    return (await inspectNow(queue))?.messageCount ?? null
  }
  return async (kept) => {
    const messages = await countSince(kept)
    const known = kept.describe()
    const change = messages === null ? null : messages - known.progress.present
    return { ...known, host: snapshots.owner.host, since: { messages, change } }
  }
}

/** Others may be reading it. */
function refuseForeign({ id, by }: KeptSnapshot, { name, role }: Caller): void {
  if (by === name || permissionsOf(role).includes('dlq:redrive')) return
  const message = `The snapshot ${id} is that of ${by}. Erasing it needs the permission dlq:redrive, which the role ${role} does not have.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}
