import { type CompiledTopology, formatDuration, type QueueFlow } from 'warrenmq/operations'

/** A topology as lines for a terminal: where messages come from, where they wait, where they end. */
export function renderPicture({ flows, bindings }: CompiledTopology): readonly string[] {
  const rows = flows.flatMap((flow) =>
    bindings
      .filter(({ destination }) => destination === flow.queue)
      .map(({ source, key }) => ({ flow, from: `${source} ── ${key} ─`, queue: flow.queue })),
  )
  const fromWidth = Math.max(...rows.map(({ from }) => from.length))
  const queueWidth = Math.max(...rows.map(({ queue }) => queue.length))
  return rows.flatMap(({ flow, from, queue }) => {
    const lead = `${from.padEnd(fromWidth, '─')}▶ `
    return [
      `${lead}${queue} ${'─'.repeat(queueWidth - queue.length)}─ fails ─▶ ${renderWait(flow)}`,
      `${' '.repeat(lead.length)}└${'─'.repeat(queueWidth)}─ gives up ─▶ ${flow.deadLetterQueue ?? 'nowhere'}`,
    ]
  })
}

function renderWait({ retry, queue }: QueueFlow): string {
  if (retry?.kind !== 'publish') return `back to ${queue}`
  return `waits ${retry.scheduleMs.map((delayMs) => formatDuration(delayMs)).join(', ')} ─▶ back`
}
