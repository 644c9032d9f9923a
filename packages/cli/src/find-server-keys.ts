import { InvalidArgumentError } from 'warrenmq'
import { readServerKeys, type ServerKeys } from './http-api/records/server-keys.ts'
import type { Terminal } from './output/terminal.ts'

/**
 * The key of the servers, from the same places: `WARREN_SERVER_KEY`, or the file that the config names. That file is
 * mostly where the servers are and not here; then a sentence says what goes without it.
 */
export function findServerKeys(
  {
    env,
    server,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly server: Readonly<Record<string, unknown>> | undefined
  },
  terminal: Pick<Terminal, 'say'>,
): ServerKeys {
  const keyFile = typeof server?.keyFile === 'string' ? server.keyFile : undefined
  if (env.WARREN_SERVER_KEY || keyFile === undefined) return readServerKeys(env)
  try {
    return readServerKeys(env, keyFile)
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    terminal.say(`Without the servers' key, nothing is signed or proved here: ${error.message}`)
    return readServerKeys({})
  }
}
