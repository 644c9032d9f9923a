import type { Evidence } from './evidence.ts'

/** The log is whole, has every record whose writer was told so, and nothing that no server wrote. */
export function checkAudit({ ledger, violate, broker }: Evidence): void {
  const verdict = ledger.verdicts.at(-1)
  if (!verdict) {
    if (ledger.audited.length > 0) violate('audit', 'nobody could verify the log')
    return
  }
  if (verdict.kind !== 'whole')
    violate(
      'audit',
      `the log is ${verdict.kind}: ${verdict.problems.map(({ problem }) => problem).join('; ')}`,
    )
  if (verdict.unsigned + verdict.foreign > 0)
    violate('audit', `${verdict.unsigned} records are not signed, and ${verdict.foreign} are none`)
  const inStream = broker.model.vhosts.get('/')!.queues.get('warren.audit')?.counts().ready ?? 0
  if (verdict.records !== inStream && !verdict.isCut)
    violate('audit', `it counts ${verdict.records} records, and the stream has ${inStream}`)
  if (verdict.records < ledger.audited.length)
    violate('audit', `${ledger.audited.length} records were confirmed, and it counts ${verdict.records}`)
  checkStrays({ ledger, violate })
}

/** A server that reads the streams from their beginning finds what was forged, once, and nothing else. */
function checkStrays({ ledger, violate }: Pick<Evidence, 'ledger' | 'violate'>): void {
  for (const { server, stream, kind } of ledger.strays)
    if (stream !== 'warren.tasks' || ledger.forged === 0)
      violate('audit', `${server} found a stray in ${stream}: ${kind}`)
  // The one who verifies the log is the last to open.
  const atTheEnd = ledger.strays.filter(({ opening }) => opening === ledger.openings).length
  if (atTheEnd !== ledger.forged)
    violate('audit', `${ledger.forged} records were forged, and the last server found ${atTheEnd}`)
}
