const perLine = 16

/** Bytes as `00000010  7b 22 6f 72 …  {"or…`, as far as they are shown. */
export function hexDump(bytes: Uint8Array, mostBytes: number): string {
  const lines: string[] = []
  for (let at = 0; at < Math.min(bytes.length, mostBytes); at += perLine)
    lines.push(lineOf(bytes.subarray(at, Math.min(at + perLine, mostBytes)), at))
  return lines.join('\n')
}

function lineOf(bytes: Uint8Array, at: number): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  const left = hex.slice(0, 8).join(' ').padEnd(23)
  const right = hex.slice(8).join(' ').padEnd(23)
  const text = Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
  return `${at.toString(16).padStart(8, '0')}  ${left}  ${right}  ${text.join('')}`
}
