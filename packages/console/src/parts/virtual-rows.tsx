// biome-ignore-all lint/a11y/useSemanticElements: a table lays out its rows itself, and these are placed by hand.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the list, which names the current row.
import { useElementScrollRestoration } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useKeys } from './use-keys.ts'

interface VirtualRowsProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly nameOf: (item: Item) => string
  readonly rowHeight: number
  readonly onOpen: (item: Item) => void
  /** Marks the row, or takes the mark off: by `x`. */
  readonly onMark?: (item: Item) => void
  readonly isMarked?: (item: Item) => boolean
  /** The last rows are in sight: there may be more. */
  readonly onEnd?: () => void
  readonly head?: ReactNode
  readonly foot?: ReactNode
  readonly children: (item: Item) => ReactNode
}

/** However much stands above the list. */
const leastHeight = 320

/** A list of which only the rows in sight are on the page, however long it is. `j` and `k` move, Enter opens. */
export function VirtualRows<Item>(props: VirtualRowsProps<Item>): ReactNode {
  const { label, items, nameOf, rowHeight, onOpen, onMark, isMarked, onEnd, head, foot, children } = props
  const place = useRef<HTMLDivElement>(null)
  const id = useId()
  const [current, setCurrent] = useState<number>()
  // Whoever presses keys is faster than a page is drawn.
  const latest = useRef(-1)
  // Whoever comes back finds it as it was scrolled.
  const before = useElementScrollRestoration({ id: label })
  const rows = useVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    ...(before && { initialOffset: before.scrollY }),
    getScrollElement: () => place.current,
    getItemKey: (index) => nameOf(items[index]!),
  })
  const shown = rows.getVirtualItems()
  const isAtEnd = items.length > 0 && shown.at(-1)?.index === items.length - 1
  useEffect(() => {
    if (isAtEnd) onEnd?.()
  }, [isAtEnd, onEnd])

  const move = (step: number): void => {
    const next = Math.max(0, Math.min(items.length - 1, latest.current + step))
    latest.current = next
    setCurrent(next)
    rows.scrollToIndex(next)
    place.current?.focus({ preventScroll: true })
  }
  const withChosen = (act: ((item: Item) => void) | undefined): void => {
    const chosen = items[latest.current]
    if (chosen !== undefined) act?.(chosen)
  }
  useKeys({ j: () => move(1), k: () => move(-1), x: () => withChosen(onMark) })
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      move(step)
    }
    if (event.key === 'Enter' && event.target === place.current) withChosen(onOpen)
  }
  return (
    <div
      className="flex max-h-[75dvh] shrink flex-col overflow-hidden rounded-lg border border-line bg-panel md:max-h-none"
      style={{ minHeight: Math.min(leastHeight, rows.getTotalSize()) }}
    >
      {head && <div className="border-b border-line">{head}</div>}
      <div
        ref={place}
        role="grid"
        data-scroll-restoration-id={label}
        aria-label={label}
        aria-multiselectable={onMark !== undefined}
        aria-rowcount={items.length}
        aria-activedescendant={current === undefined ? undefined : `${id}-${current}`}
        tabIndex={0}
        onKeyDown={press}
        className="min-h-0 overflow-y-auto focus-visible:-outline-offset-2!"
      >
        <div className="relative" style={{ height: rows.getTotalSize() }} role="rowgroup">
          {shown.map(({ index, key, start }) => {
            const item = items[index]!
            return (
              <div
                key={key}
                id={`${id}-${index}`}
                role="row"
                tabIndex={-1}
                aria-selected={isMarked?.(item) ?? index === current}
                aria-rowindex={index + 1}
                data-current={index === current || undefined}
                className="absolute inset-x-0 top-0 border-b border-line hover:bg-hover data-current:bg-hover data-current:shadow-[inset_2px_0_0_var(--color-accent)]"
                style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              >
                <div role="gridcell" className="h-full">
                  {children(item)}
                </div>
              </div>
            )
          })}
        </div>
        {foot}
      </div>
    </div>
  )
}
