import { isIP } from 'node:net'

/**
 * What an address is counted by: itself, or with IPv6 its /64, of which one customer has all 2^64 addresses.
 * An IPv4 address that is written as IPv6 is the IPv4 one.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (isIP(plain) !== 6) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  const [head, tail] = plain.split('::').map(groupsOf)
  const missing = 8 - (head?.length ?? 0) - (tail?.length ?? 0)
  const groups = [...(head ?? []), ...Array.from({ length: missing }, () => 0), ...(tail ?? [])]
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

function groupsOf(text: string): readonly number[] {
  if (text === '') return []
  // The last two may be written as an IPv4 address; which one is of no interest here.
  return text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]))
}
