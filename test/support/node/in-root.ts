import { runCommand } from '../run-command.ts'
import type { PackageSource } from '../source/broker-source.ts'

/** Makes a command run with the source's root as "/". */
export async function inRoot(
  { root }: PackageSource,
  command: readonly [string, ...string[]],
): Promise<[string, ...string[]]> {
  if (root === '') return [...command]
  if (!(await canMount())) return ['chroot', root, ...command]
  // The mounts live in a namespace of the process and vanish with it, however it ends.
  const script = `mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"`
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, root, ...command]
}

let mounts: Promise<boolean> | undefined

/** False in an ordinary container. The root has devices of its own for that, and goes without /proc. */
export function canMount(): Promise<boolean> {
  mounts ??= runCommand('unshare', ['--mount', 'mount', '--bind', '/dev', '/dev']).then(
    () => true,
    () => false,
  )
  return mounts
}
