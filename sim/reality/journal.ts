import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { RestoreReport } from '../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import type { Receipt } from '../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import type { Step } from '../actors/ledger.ts'

/** What an actor writes down. Each entry is on the disk's side of the process before the actor goes on. */
export type Entry =
  /** It is about to publish. */
  | { readonly what: 'sent' | 'confirmed'; readonly id: string }
  | { readonly what: 'run'; readonly id: string; readonly attempt: number; readonly redrive?: string }
  | { readonly what: 'end'; readonly id: string; readonly step: Step }
  | { readonly what: 'receipt'; readonly still: boolean; readonly receipt: Receipt }
  | { readonly what: 'restore'; readonly report: RestoreReport }
  /** So many messages may be there twice because of this. */
  | { readonly what: 'twice'; readonly count: number }
  /** It begins to move dead letters. */
  | { readonly what: 'deed'; readonly deed: string }
  /** What it began has come to an end, by a result or by an error. */
  | { readonly what: 'deed-ends'; readonly deed: string; readonly code?: string }
  | { readonly what: 'gives-up'; readonly code: string }
  /** An error that is none of the library's: a bug. */
  | { readonly what: 'crash'; readonly stack: string }

export type SeededEntry = Entry & { readonly seed: number; readonly actor: string }

export interface Journal {
  write(seed: number, entry: Entry): void
  close(): void
}

/** Whatever is written is with the operating system when `write` is over, so that a kill -9 takes nothing of it. */
export function openJournal(file: string, actor: string): Journal {
  const handle = openSync(file, 'a')
  return {
    write: (seed, entry) => void writeSync(handle, `${JSON.stringify({ seed, actor, ...entry })}\n`),
    close: () => closeSync(handle),
  }
}

export function readJournal(file: string): readonly SeededEntry[] {
  const lines = readOrNothing(file).split('\n')
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as SeededEntry)
}

/** An actor that was never started has written nothing. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
