import { readLine } from '../../packages/warrenmq/src/recovery/backup/backup-record.ts'
import { readBlockSize, unpackBlock } from '../../packages/warrenmq/src/recovery/backup/blocks.ts'
import { decodeProperties } from '../../packages/warrenmq/src/wire/properties.ts'
import type { Evidence } from './evidence.ts'

/** The ids of messages that are in the files of discards, in blocks that are whole, and were not put back. */
export function readDiscarded({ ledger, universe }: Evidence): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const file of ledger.backups) {
    const restored = readRestored(universe.files.peek(`${file}.restored`))
    for (const text of linesOf(universe.files.peek(file))) {
      const line = readLine(text)
      if (line.kind !== 'record' || restored.has(`${line.record.run}/${line.record.number}`)) continue
      const id = decodeProperties(line.record.properties).messageId
      if (id !== undefined) ids.add(id)
    }
  }
  return ids
}

/** What the journal says is back where it was: no later restore would bring it. */
export function readRestored(journal: Buffer): ReadonlySet<string> {
  const restored = new Set<string>()
  for (const text of journal.toString('utf8').split('\n')) {
    if (!text.endsWith('}')) continue
    const { run, records = [] } = JSON.parse(text) as { run?: number; records?: readonly number[] }
    for (const number of records) restored.add(`${run}/${number}`)
  }
  return restored
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const size = readBlockSize(bytes.subarray(at))
    const content = size === undefined ? undefined : unpackBlock(bytes.subarray(at, at + size))
    if (size === undefined || content === undefined) {
      at += 1
      continue
    }
    yield* content.toString('utf8').split('\n').slice(0, -1)
    at += size
  }
}
