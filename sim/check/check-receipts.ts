import type { Evidence } from './evidence.ts'

/** The sums of every receipt hold. */
export function checkReceipts({ ledger, violate }: Evidence): void {
  for (const { receipt } of ledger.receipts) {
    const { present, moved, failed, kept, stillThere } = receipt
    if (present !== moved + failed + kept + stillThere)
      violate('receipts', `${present} is not ${moved} + ${failed} + ${kept} + ${stillThere}`)
  }
}
