import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { Acknowledgement } from '../notes/acknowledgement.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { SectionTitle } from '../parts/page.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { sayKeepReason } from '../redrive/say-keep-reason.ts'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { sayFailure } from './say-failure.ts'

type Receipt = Schemas['Receipt']

/** What became of every message, as the server has written it down. */
export function ReceiptPanel({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { id, targets, keptBecause, failures, causes, refusals, endedAt, digest } = receipt
  return (
    <section aria-label="Receipt" className="flex flex-col gap-5 rounded-lg border border-line bg-panel p-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="text-base font-semibold">Receipt</h2>
        <span className="text-quiet">
          <TimeText at={endedAt} />
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-3">
          <Acknowledgement task={id} />
          <CopyButton text={JSON.stringify(receipt, null, 2)}>Copy as JSON</CopyButton>
        </span>
      </div>
      <Verdict receipt={receipt} />
      <div className="grid grid-cols-1 gap-5 md:grid-cols-2">
        <Counts title="Where they went" rows={targets.map(({ target, moved }) => [target, moved])} />
        <Counts title="What they had died of" rows={causes.map(({ label, moved }) => [label, moved])} />
        <Counts
          title="Why others stayed"
          rows={keptBecause.map(({ reason, count }) => [sayKeepReason(reason), count])}
        />
        <Counts title="Why some failed" rows={failures.map(({ kind, count }) => [sayFailure(kind), count])} />
      </div>
      {refusals.map((refusal) => (
        <Notice key={refusal} tone="bad">
          {refusal}
        </Notice>
      ))}
      {digest !== null && (
        <p className="foreign text-xs text-quiet" title="`warren dlq verify` checks this receipt against it.">
          Digest <span className="font-mono">{digest}</span>
        </p>
      )}
    </section>
  )
}

function Verdict({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const {
    isBalanced,
    isCounted,
    moved,
    failed,
    kept,
    stillThere,
    present,
    missing,
    cameBack,
    duplicatesPossible,
  } = receipt
  const sum = `${formatCount(moved)} moved + ${formatCount(failed)} failed + ${formatCount(kept)} kept + ${formatCount(stillThere)} still there = ${formatCount(present)}`
  return (
    <div className="flex flex-col gap-2">
      {isBalanced ? (
        <Notice tone="good">Nothing is lost: {sum}.</Notice>
      ) : (
        <Notice tone="bad">
          {isCounted === false
            ? `The broker was away at the end, so the queue could not be counted: ${sum}.`
            : `${formatCounted(missing, 'message')} missing from the queue: ${sum}.`}
        </Notice>
      )}
      {failed > 0 && (
        <Notice tone="warn">
          {formatCounted(failed, 'message')} failed and {failed === 1 ? 'is' : 'are'} still in the queue.
        </Notice>
      )}
      {cameBack > 0 && (
        <Notice tone="warn">{formatCounted(cameBack, 'message')} of this re-drive died again.</Notice>
      )}
      {duplicatesPossible > 0 && (
        <Notice tone="warn">
          {formatCounted(duplicatesPossible, 'message')} may be at their target twice.
        </Notice>
      )}
    </div>
  )
}

function Counts({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly (readonly [string, number])[]
}): ReactNode {
  if (rows.length === 0) return null
  return (
    <div>
      <SectionTitle>{title}</SectionTitle>
      <ul className="flex flex-col gap-1">
        {rows.map(([name, count]) => (
          <li key={name} className="flex gap-3">
            <span className="foreign min-w-0 flex-1 text-quiet">{name}</span>
            <span className="num">{formatCount(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
