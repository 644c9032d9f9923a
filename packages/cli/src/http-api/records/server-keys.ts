import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'warrenmq'

/** What servers sign their records with. The first key writes, all of them verify. */
export interface ServerKeys {
  readonly keys: readonly Buffer[]
  /** False: this process made one for itself, and nobody else can tell what it has written. */
  readonly isShared: boolean
}

/** A key that can be guessed proves nothing. */
const leastBytes = 32

/** The keys of `WARREN_SERVER_KEY` or of a file; where there are none, one that ends with the process. */
export function readServerKeys(
  env: Readonly<Record<string, string | undefined>>,
  keyFile?: string,
): ServerKeys {
  const given = env.WARREN_SERVER_KEY || undefined
  if (given !== undefined && keyFile !== undefined)
    throw new InvalidArgumentError('Both WARREN_SERVER_KEY and server.keyFile are set. Keep one of them.')
  if (given !== undefined) return parseServerKeys(given, 'WARREN_SERVER_KEY')
  if (keyFile !== undefined) return parseServerKeys(readKeyFile(keyFile), `The file ${keyFile}`)
  return { keys: [randomBytes(leastBytes)], isShared: false }
}

/**
 * One key, or several with commas, spaces or lines between them, the newest first: that is how one is replaced.
 * @param where names its place in what is said of a mistake; the key itself is never said
 */
export function parseServerKeys(text: string, where: string): ServerKeys {
  const keys = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((each) => Buffer.from(each, 'utf8'))
  if (keys.length === 0) throw new InvalidArgumentError(`${where} contains no key. ${howTo}`)
  const short = keys.find((each) => each.length < leastBytes)
  if (short)
    throw new InvalidArgumentError(
      `${where} contains a key of ${short.length} bytes; it needs at least ${leastBytes}. ${howTo}`,
    )
  return { keys, isShared: true }
}

const howTo = 'Make one with `openssl rand -hex 32`, and give all servers the same key.'

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? 'it cannot be read'
    throw new InvalidArgumentError(`server.keyFile: ${file} cannot be read (${why}).`)
  }
}

/** Names a key without telling it. */
export function nameKey(key: Buffer): string {
  return createHmac('sha256', key).update('warren key name').digest('hex').slice(0, 8)
}
