import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Runs `work` while no other process of this machine runs under the same lock file. The lock is the
 * kernel's (flock), held by a child that waits for the end of its input, so it never outlives us.
 */
export async function withFileLock<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lockFile), { recursive: true })
  const script = `exec flock "$1" sh -c 'echo locked; cat >/dev/null'`
  const holder = spawn('sh', ['-c', script, 'lock', lockFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(holder, 'exit')
  try {
    await Promise.race([once(holder.stdout, 'data'), ended.then(() => failToLock(lockFile))])
    return await work()
  } finally {
    holder.stdin.end()
    await ended
  }
}

function failToLock(lockFile: string): never {
  throw new Error(`Cannot lock ${lockFile}.`)
}
