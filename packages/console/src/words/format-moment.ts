const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const date = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })

/** 12:03:07 in the reader's zone, with the day if it is another one: "Jan 31, 12:03:07". */
export function formatMoment(at: string | number, nowMs: number = Date.now()): string {
  const time = new Date(at)
  const isToday = new Date(nowMs).toDateString() === time.toDateString()
  return isToday ? clock.format(time) : `${day.format(time)}, ${clock.format(time)}`
}

/** The same with its day and year: "Jan 31, 2026, 12:03:07". */
export function formatWholeMoment(at: string | number): string {
  const time = new Date(at)
  return `${date.format(time)}, ${clock.format(time)}`
}
