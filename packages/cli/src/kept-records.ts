import { appendFile, readFile } from 'node:fs/promises'
import { InvalidArgumentError } from 'warrenmq'
import type { AuditVerdict, KeptRecord } from './http-api/audit/audit-check.ts'

/** What `--kept` names: a hash, or a file to which each whole log adds its newest record. */
export interface KeptRecords {
  readonly records: readonly KeptRecord[]
  /** Undefined for a hash. */
  readonly file: string | undefined
}

export async function readKept(named: string | undefined): Promise<KeptRecords> {
  if (named === undefined) return { records: [], file: undefined }
  if (/^[0-9a-f]{64}$/.test(named)) return { records: [{ hash: named }], file: undefined }
  return { records: parseKept(await readIfThere(named), named), file: named }
}

/** Writes down the newest record of a log that is whole. */
export async function keepNewest({ file }: KeptRecords, verdict: AuditVerdict): Promise<void> {
  const { newest: hash, newestOffset: offset } = verdict
  if (file === undefined || hash === null) return
  await appendFile(file, `${JSON.stringify({ hash, offset, at: new Date().toISOString() })}\n`)
}

/** One record per line. What cannot be read is refused: a line that was spoilt must not hide what it kept. */
export function parseKept(text: string, file: string): readonly KeptRecord[] {
  const lines = text.split('\n').map((line, at) => ({ line, at }))
  return lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, at }) => {
      const kept = readJson(line) as Partial<KeptRecord> | undefined
      if (typeof kept?.hash === 'string' && Number.isSafeInteger(kept.offset))
        return { hash: kept.hash, offset: kept.offset }
      throw new InvalidArgumentError(
        `--kept: line ${at + 1} of ${file} is not a record that --verify has kept. Name a separate file, or give the hash itself.`,
      )
    })
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '' // the first time
    throw new InvalidArgumentError(`--kept: ${file} cannot be read: ${(cause as Error).message}.`, { cause })
  }
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
