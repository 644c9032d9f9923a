/** As ISO 8601; null for what is no time. */
export function timeOf(timeMs: number): string | null {
  return Number.isFinite(timeMs) ? new Date(timeMs).toISOString() : null
}
