import { ApiError, pause } from 'warrenmq/operations'
import type { AddRoutes, ApiContext, CallOf } from '../api-context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import { isSameCaller } from '../auth/is-same-caller.ts'
import type { Snapshot, SnapshotCauses, SnapshotGrowth } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { followSnapshot, type GrowthEvent, growthEvent } from '../events/follow-snapshot.ts'
import { lastIdOf, watchAccess } from '../events/watch-access.ts'
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
import { nothingKnown, type ReadSince, type Since } from '../snapshots/read-since.ts'
import { type SnapshotSelection, selectInSnapshot } from '../snapshots/select-in-snapshot.ts'
import { goneSnapshot } from '../snapshots/snapshots.ts'

/** How long who asks for a snapshot waits to be told that its look was refused. */
const mostRefusalMs = 2_000

export const addSnapshotRoutes: AddRoutes = (add, context) => {
  const { snapshots, renameFor, readSince } = context
  const describeWith = (kept: KeptSnapshot, since: Since): Snapshot => ({
    ...kept.describe(),
    host: snapshots.owner.host,
    since,
  })
  const describe = async (kept: KeptSnapshot): Promise<Snapshot> => describeWith(kept, await readSince(kept))
  /** What every read says besides what it read. */
  const withSince = async <Read>(kept: KeptSnapshot, read: Read) => ({
    ...read,
    since: await readSince(kept),
  })

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

  add(endpoints.watchSnapshot, async ({ params, caller, request, reply }) => {
    const kept = findSnapshot({ context, caller }, params)
    if (request.method === 'HEAD') {
      await reply.type('text/event-stream').send() // it would never come to its end
      return undefined
    }
    const lastId = lastIdOf(request)
    const tell = (since: Since): SnapshotGrowth => ({
      snapshot: describeWith(kept, since),
      causes: causesOf(kept, caller),
    })
    const { read, whenEnded } = createGrowthReader(kept, tell, readSince)
    if (kept.endedAtMs !== undefined && (await whenEnded).id === lastId) {
      await reply.code(204).send() // a browser comes back after every end of a stream but this one
      return undefined
    }
    const out = context.streams.open(caller, reply)
    const mayReadOn = (again: Caller): boolean =>
      findSnapshot({ context, caller: again }, params).id === kept.id
    const { needs } = endpoints.watchSnapshot
    const isRefused = watchAccess(context, { request, reply, needs, mayReadOn })
    const isOver = (): boolean => kept.isErased || context.tasks.isClosed || isRefused()
    followSnapshot({ out, lastId, read, isOver })
    return undefined
  })

  const causesOf = (
    { columns }: KeptSnapshot,
    caller: Caller,
    marks?: SnapshotSelection['marks'],
  ): SnapshotCauses['causes'] =>
    countCauses(columns, marks, (position) => renameFor(columns.keys.at(position), caller))

  const select = (
    { params, caller }: { params: { queue: string; id: string }; caller: Caller },
    where: string | undefined,
  ): Promise<SnapshotSelection> =>
    selectInSnapshot({ context, caller }, findSnapshot({ context, caller }, params), where)

  add(endpoints.listSnapshotCauses, async (call) => {
    const { kept, marks, head } = await select(call, call.query.where)
    return withSince(kept, { ...head, causes: causesOf(kept, call.caller, marks) })
  })

  add(endpoints.listSnapshotFacets, async (call) => {
    const { kept, marks, head } = await select(call, call.query.where)
    return withSince(kept, { ...head, facets: countFacets(kept.columns, marks, call.query.most) })
  })

  add(endpoints.showSnapshotHistogram, async (call) => {
    const { kept, marks, head } = await select(call, call.query.where)
    return withSince(kept, { ...head, ...countTimes(kept.columns, marks, call.query.bars) })
  })

  add(endpoints.listSnapshotMessages, async (call) => {
    const { caller, query } = call
    const selection = await select(call, query.where)
    return withSince(selection.kept, pageOfSnapshot({ context, caller }, selection, query))
  })

  add(endpoints.showSnapshotMessage, async ({ params, caller }) => {
    const kept = findSnapshot({ context, caller }, params)
    const { message, ...place } = await findInSnapshot({ context, caller }, kept, params.key)
    const { asOf, id: snapshot, queue } = kept.describe()
    const rules = payloadRulesFor(caller, context.settings)
    const described = describeMessage(message, { key: params.key, rules })
    return withSince(kept, { queue, snapshot, asOf, ...place, ...described })
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
  void kept.ended.then(() => context.readSince(kept)) // what has become of it is counted from its end on
  const waiting = new AbortController()
  try {
    await Promise.race([kept.begun, pause(mostRefusalMs, waiting.signal)])
  } catch (error) {
    // Somebody may have called it off while we waited, and that is no failure.
    if (kept.state === 'cancelled' && !kept.isErased) return kept
    const why = kept.isErased ? goneSnapshot(kept.id) : error
    await snapshots.erase(kept)
    throw why
  } finally {
    waiting.abort()
  }
  return kept
}

/** What is told of a snapshot while it grows. Its last event waits for what has become of the queue. */
function createGrowthReader(
  kept: KeptSnapshot,
  tell: (since: Since) => SnapshotGrowth,
  readSince: ReadSince,
): { readonly read: () => GrowthEvent | undefined; readonly whenEnded: Promise<GrowthEvent> } {
  let last: GrowthEvent | undefined
  let known: { readonly seen: number; readonly event: GrowthEvent } | undefined
  const whenEnded = kept.ended.then(async () => {
    last = growthEvent(tell(await readSince(kept)))
    return last
  })
  return {
    whenEnded,
    read: () => {
      if (last || kept.endedAtMs !== undefined) return last
      const { seen } = kept.describe().progress
      if (known?.seen !== seen) known = { seen, event: growthEvent(tell(nothingKnown)) }
      return known.event
    },
  }
}

/** Others may be reading it. */
function refuseForeign({ id, by, maker }: KeptSnapshot, caller: Caller): void {
  const { role } = caller
  if (isSameCaller(maker, caller) || permissionsOf(role).includes('dlq:redrive')) return
  const message = `The snapshot ${id} belongs to ${by}. Erasing it needs the permission dlq:redrive, which the role ${role} does not have.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}
