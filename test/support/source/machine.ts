import { existsSync, readFileSync } from 'node:fs'

/** What `/etc/os-release` says, or an empty map where there is none. */
export function readOsRelease(): ReadonlyMap<string, string> {
  if (!existsSync('/etc/os-release')) return new Map()
  const lines = readFileSync('/etc/os-release', 'utf8').split('\n')
  return new Map(lines.flatMap(readAssignment))
}

function readAssignment(line: string): [string, string][] {
  const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
  return key === undefined || value === undefined ? [] : [[key, value.replaceAll('"', '')]]
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** True on Debian itself, the only system whose mirror carries Debian's other suites. */
export function isDebian(): boolean {
  return readOsRelease().get('ID') === 'debian'
}

/** True on Debian, Ubuntu and their kin. */
export function hasApt(): boolean {
  return existsSync('/usr/bin/apt-get')
}
