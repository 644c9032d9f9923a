const counts = new Intl.NumberFormat('en-US')
const short = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** 119,762 */
export function formatCount(count: number): string {
  return counts.format(count)
}

/** "1 message", "119,762 messages". */
export function formatCounted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** 33.4% */
export function formatShare(part: number, whole: number): string {
  return `${whole === 0 ? 0 : short.format((100 * part) / whole)}%`
}

/** +12.5 */
export function formatSigned(value: number): string {
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${short.format(Math.abs(value))}`
}
