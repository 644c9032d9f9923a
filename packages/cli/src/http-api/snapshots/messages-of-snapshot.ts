import { ApiError } from 'warrenmq/operations'
import type {
  CauseList,
  MessagePage,
  MessageQuery,
  MessageSummary,
  ShownMessage,
} from '../contract/contract.ts'
import { describeMessage } from '../show/describe-message.ts'
import { payloadRulesFor } from '../show/payload-rules.ts'
import { countCauses } from '../snapshot-index/count-causes.ts'
import { findInSnapshot } from './find-in-snapshot.ts'
import { findSnapshot, type SnapshotReader } from './find-snapshot.ts'
import { pageOfSnapshot } from './page-of-snapshot.ts'
import { selectInSnapshot } from './select-in-snapshot.ts'

/** What the endpoints that look at a queue answer when they are asked for a snapshot. */
export interface SnapshotPlace {
  readonly queue: string
  readonly id: string
}

export async function causesOfSnapshot(
  reader: SnapshotReader,
  place: SnapshotPlace,
  { where, groupBy }: { readonly where?: string; readonly groupBy?: string },
): Promise<CauseList> {
  if (groupBy !== undefined) throw noGroups()
  const { kept, marks, head } = await selectInSnapshot(reader, findSnapshot(reader, place), where)
  const { columns } = kept
  const idAt = (at: number): string => columns.summarise(at, '').id ?? ''
  const causes = countCauses(columns, marks, idAt).map((cause) => ({
    ...cause,
    sample: cause.sample === '' ? null : cause.sample,
    by: [],
    splits: [],
  }))
  const { progress, isWhole } = kept.describe()
  const seen = { present: progress.present, seen: progress.seen, isWhole: isWhole && head.search.isWhole }
  return { queue: place.queue, ...seen, asOf: head.asOf, causes }
}

export async function messagesOfSnapshot(
  reader: SnapshotReader,
  place: SnapshotPlace,
  query: MessageQuery,
): Promise<MessagePage> {
  const selection = await selectInSnapshot(reader, findSnapshot(reader, place), query.where)
  const { items, nextCursor, asOf, search } = pageOfSnapshot(reader, selection, query)
  const { progress, isWhole } = selection.kept.describe()
  return {
    queue: place.queue,
    present: progress.present,
    isWhole: isWhole && search.isWhole,
    asOf,
    items: items.map(({ position: _, ...item }): MessageSummary => item),
    nextCursor,
  }
}

export async function messageOfSnapshot(
  reader: SnapshotReader,
  place: SnapshotPlace,
  key: string,
): Promise<ShownMessage> {
  const kept = findSnapshot(reader, place)
  const { message } = await findInSnapshot(reader, kept, key)
  const rules = payloadRulesFor(reader.caller, reader.context.settings)
  return { asOf: kept.describe().asOf, ...describeMessage(message, { key, rules }) }
}

function noGroups(): ApiError {
  const message =
    'A snapshot cannot be grouped. Leave out groupBy and ask for its facets, or leave out snapshot to look at the queue.'
  return new ApiError({ code: 'API_REQUEST_INVALID', message })
}
