import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { RecoveryError } from '../../errors.ts'
import { blockHeadBytes, readBlockSize, unpackBlock } from './backup-block.ts'
import {
  type BackupHeader,
  type BackupLine,
  type BackupSeal,
  type RemovalMark,
  readLine,
} from './backup-record.ts'

/** What a backup holds, when every digest in it was right. */
export interface BackupSummary {
  readonly header: BackupHeader
  readonly records: number
  readonly bodyBytes: number
  /** SHA-256 over every line before the seal. */
  readonly digest: string
  /** Undefined: the backup was interrupted; running it again completes it. */
  readonly seal: BackupSeal | undefined
  /** Undefined: nothing says that the messages were removed from their queue. */
  readonly removal: RemovalMark | undefined
  /** Where the last whole record ends in the file, before a seal. */
  readonly recordsEnd: number
  /** The running digest, for who goes on writing. */
  readonly running: Hash
  /** Bytes behind the last whole block: what a crash tore off. */
  readonly tornBytes: number
}

/**
 * Reads a backup from its first to its last line, a block at a time, and checks every digest. `onLine` gets
 * each line when it is known to be whole. Needs no broker.
 */
export async function readBackup(
  file: string,
  onLine: (line: BackupLine) => void | Promise<void> = () => {},
): Promise<BackupSummary> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new RecoveryError(
      { code: 'BACKUP_INVALID', message: `${file} cannot be read: ${(cause as Error).message}` },
      { cause },
    )
  })
  try {
    const reading = new BackupReading(file)
    for await (const { content, end } of readBlocks(handle)) {
      for (const text of content.toString('utf8').split('\n').slice(0, -1)) {
        await onLine(reading.take(text))
      }
      reading.passed(end)
    }
    return reading.summary((await handle.stat()).size)
  } finally {
    await handle.close()
  }
}

/** The state of one reading; every line goes through it in order. */
class BackupReading {
  readonly #file: string
  readonly #digest = createHash('sha256')
  #header: BackupHeader | undefined
  #seal: BackupSeal | undefined
  #removal: RemovalMark | undefined
  #records = 0
  #bodyBytes = 0
  #recordsEnd = 0
  #end = 0

  constructor(file: string) {
    this.#file = file
  }

  take(text: string): BackupLine {
    const line = readLine(text)
    if (line.kind === 'invalid') throw this.#broken(line.problem)
    if (this.#removal) throw this.#broken('Something follows the end.')
    if ((line.kind === 'header') !== (this.#header === undefined))
      throw this.#broken('The first line is not in its place.')
    switch (line.kind) {
      case 'header':
        this.#header = line.header
        break
      case 'record':
        if (this.#seal || line.record.number !== this.#records + 1)
          throw this.#broken('A record is missing before it.')
        this.#records += 1
        this.#bodyBytes += line.record.body.length
        break
      case 'seal':
        if (line.seal.records !== this.#records || line.seal.digest !== this.#digest.copy().digest('hex')) {
          throw this.#broken('The digest of the file does not fit.')
        }
        this.#seal = line.seal
        break
      case 'removal':
        this.#removal = line.mark
    }
    if (!this.#seal) this.#digest.update(`${text}\n`)
    return line
  }

  passed(end: number): void {
    this.#end = end
    if (!this.#seal) this.#recordsEnd = end
  }

  summary(fileBytes: number): BackupSummary {
    if (!this.#header) {
      throw new RecoveryError({ code: 'BACKUP_INVALID', message: `${this.#file} is no backup of Warren.` })
    }
    return {
      ...{ header: this.#header, records: this.#records, bodyBytes: this.#bodyBytes },
      ...{
        digest: this.#digest.copy().digest('hex'),
        running: this.#digest,
        seal: this.#seal,
        removal: this.#removal,
      },
      ...{ recordsEnd: this.#recordsEnd, tornBytes: fileBytes - this.#end },
    }
  }

  #broken(problem: string): RecoveryError {
    return new RecoveryError({
      code: 'BACKUP_INVALID',
      message: `${this.#file} is damaged behind record ${this.#records}. ${problem}`,
    })
  }
}

/** Whole blocks in order. It ends at the first that is torn off or damaged; the bytes behind are not looked at. */
async function* readBlocks(handle: FileHandle): AsyncGenerator<{ content: Buffer; end: number }> {
  const { size: fileBytes } = await handle.stat()
  for (let at = 0; at < fileBytes; ) {
    const size = readBlockSize(await readAt(handle, at, blockHeadBytes))
    if (size === undefined || at + size > fileBytes) return
    const content = unpackBlock(await readAt(handle, at, size))
    if (content === undefined) return
    at += size
    yield { content, end: at }
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
