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
  for (const stray of ledger.strays) violate('audit', `a server found a stray in ${stray}`)
}
