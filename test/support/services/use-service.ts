import { afterAll } from 'vitest'
import type { ServerProcess } from './server-process.ts'
import { ServiceUnavailableError } from './service-unavailable-error.ts'

/**
 * The server of a test file, ended when the file is done: `const redis = await useService(startRedis)`, then
 * `describe.skipIf(!redis)`. Where it cannot be had it is undefined and the reason is printed; with CI it throws.
 */
export async function useService<Server extends ServerProcess>(
  start: () => Promise<Server>,
): Promise<Server | undefined> {
  try {
    const server = await start()
    afterAll(server.destroy)
    return server
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError) || process.env.CI) throw error
    process.stderr.write(`Skipped: ${error.message}\n`)
    return undefined
  }
}
