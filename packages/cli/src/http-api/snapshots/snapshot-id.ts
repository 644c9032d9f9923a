import { randomBytes } from 'node:crypto'

/** Which server keeps a snapshot. */
export interface SnapshotOwner {
  readonly host: string
  /** Another one after each start. */
  readonly server: string
}

/** Names a snapshot so that every server can tell whose it is. */
export function makeSnapshotId({ host, server }: SnapshotOwner): string {
  return `${host}.${server}.${randomBytes(8).toString('hex')}`
}

export function ownerOf(id: string): SnapshotOwner {
  const parts = id.split('.')
  return { host: parts.slice(0, -2).join('.'), server: parts.at(-2) ?? '' }
}

/** @param host as the system calls it */
export function createOwner(host: string): SnapshotOwner {
  const plain = host.replaceAll(/[^A-Za-z0-9.-]/g, '-').slice(0, 63)
  return { host: plain === '' ? 'unnamed' : plain, server: randomBytes(4).toString('hex') }
}
