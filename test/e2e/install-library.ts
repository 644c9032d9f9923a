import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Puts the built library into the `node_modules` of a project. By copy, as it is with users: what Jest and vitest find by
 * a link they treat as the user's own code.
 */
export function installLibrary(project: string): void {
  const installed = join(project, 'node_modules/warrenmq')
  mkdirSync(installed, { recursive: true })
  for (const part of ['package.json', 'dist'])
    cpSync(join('packages/warrenmq', part), join(installed, part), { recursive: true })
}
