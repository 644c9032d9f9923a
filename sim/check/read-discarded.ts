import { readLine } from '../../packages/warrenmq/src/recovery/backup/backup-record.ts'
import { readBlockSize, unpackBlock } from '../../packages/warrenmq/src/recovery/backup/blocks.ts'
import { decodeProperties } from '../../packages/warrenmq/src/wire/properties.ts'
import type { Evidence } from './evidence.ts'

/** The ids of messages that are in the files of discards, in blocks that are whole. */
export function readDiscarded({ ledger, universe }: Evidence): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const file of ledger.backups) {
    for (const text of linesOf(universe.files.peek(file))) {
      const line = readLine(text)
      const id = line.kind === 'record' ? decodeProperties(line.record.properties).messageId : undefined
      if (id !== undefined) ids.add(id)
    }
  }
  return ids
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
