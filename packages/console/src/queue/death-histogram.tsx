import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import type { Schemas } from '../api/api.ts'
import { type DeathRange, rangeOf, termsOfRange } from '../filter/death-range.ts'
import { toggleTerms } from '../filter/split-terms.ts'
import { SectionTitle } from '../parts/page.tsx'
import { formatCounted } from '../words/format-count.ts'
import { formatMoment } from '../words/format-moment.ts'
import { isBarWithin, rangeOfBars } from './range-of-bars.ts'

type Histogram = Schemas['SnapshotHistogram']

/** When they died. Drawing over bars chooses a stretch of time; arrows, Shift and Enter do the same. */
export function DeathHistogram({
  histogram,
  where,
  onFilter,
}: {
  readonly histogram: Histogram | undefined
  readonly where: string | undefined
  readonly onFilter: (where: string | undefined) => void
}): ReactNode {
  if (!histogram || histogram.bars.length < 2) return null
  const chosen = rangeOf(where)
  const choose = (range: DeathRange | undefined): void =>
    onFilter(toggleTerms(where, 'died', range ? termsOfRange(range) : []))
  return (
    <section aria-label="Times of death">
      <SectionTitle
        beside={
          histogram.undated > 0
            ? `unknown for ${formatCounted(histogram.undated, 'message')}`
            : 'Draw over a stretch of time to see only that'
        }
        action={
          chosen && (
            <button type="button" className="text-accent hover:underline" onClick={() => choose(undefined)}>
              All times
            </button>
          )
        }
      >
        When they died
      </SectionTitle>
      <Bars histogram={histogram} chosen={chosen} onChoose={choose} />
    </section>
  )
}

interface Drawn {
  readonly from: number
  readonly to: number
}

function Bars({
  histogram,
  chosen,
  onChoose,
}: {
  readonly histogram: Histogram
  readonly chosen: DeathRange | undefined
  readonly onChoose: (range: DeathRange | undefined) => void
}): ReactNode {
  const { bars } = histogram
  const [drawn, setDrawn] = useState<Drawn>()
  const [pointed, setPointed] = useState<number>()
  const isDrawing = useRef(false)
  const last = bars.length - 1
  const shown = drawn && rangeOfBars(histogram, drawn.from, drawn.to)
  const indexAt = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * bars.length)))
  }
  const finish = (): void => {
    isDrawing.current = false
    if (shown) onChoose(shown)
    setDrawn(undefined)
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step) {
      event.preventDefault()
      const to = Math.max(0, Math.min(last, (drawn?.to ?? (step > 0 ? -1 : last + 1)) + step))
      setDrawn({ from: event.shiftKey ? (drawn?.from ?? to) : to, to })
    }
    if (event.key === 'Enter') finish()
    if (event.key === 'Escape') setDrawn(undefined)
  }
  const told = drawn?.to ?? pointed
  return (
    <div className="rounded-lg border border-line bg-panel px-3 pt-3 pb-1.5">
      <div
        role="slider"
        tabIndex={0}
        aria-label="Time of death"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={drawn?.to ?? 0}
        aria-valuetext={
          shown ? sayRange(histogram, shown) : 'All times. Arrows choose, Shift extends, Enter filters.'
        }
        onKeyDown={press}
        onBlur={() => setDrawn(undefined)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          isDrawing.current = true
          setDrawn({ from: indexAt(event), to: indexAt(event) })
        }}
        onPointerMove={(event) => {
          setPointed(indexAt(event))
          if (isDrawing.current && drawn) setDrawn({ from: drawn.from, to: indexAt(event) })
        }}
        onPointerUp={finish}
        onPointerLeave={() => setPointed(undefined)}
        className="cursor-crosshair touch-pan-y"
      >
        <BarShapes histogram={histogram} range={shown ?? chosen} pointed={told} />
      </div>
      <p aria-hidden="true" className="num mt-1 flex justify-between gap-3 text-xs text-faint">
        <span>{formatMoment(bars[0]!.from)}</span>
        <span className="truncate text-quiet">{sayTold(histogram, { shown, told, chosen })}</span>
        <span>{formatMoment(histogram.to ?? bars[last]!.from)}</span>
      </p>
    </div>
  )
}

/** One unit wide each, and a hundred high. */
function BarShapes({
  histogram,
  range,
  pointed,
}: {
  readonly histogram: Histogram
  readonly range: DeathRange | undefined
  readonly pointed: number | undefined
}): ReactNode {
  const { bars } = histogram
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${bars.length} 100`}
      preserveAspectRatio="none"
      className="block h-14 w-full"
    >
      {pointed !== undefined && <rect x={pointed} width={1} height={100} className="fill-hover" />}
      {bars.map(({ from, count }, index) => {
        const height = count === 0 ? 0 : Math.max(4, (96 * count) / most)
        const isIn = range === undefined || isBarWithin(histogram, index, range)
        return (
          <rect
            key={from}
            x={index + 0.1}
            y={100 - height}
            width={0.8}
            height={height}
            className={isIn ? 'fill-accent/80' : 'fill-accent/20'}
          />
        )
      })}
      <rect x={0} y={99} width={bars.length} height={1} className="fill-line" />
    </svg>
  )
}

function sayTold(
  histogram: Histogram,
  {
    shown,
    told,
    chosen,
  }: {
    readonly shown: DeathRange | undefined
    readonly told: number | undefined
    readonly chosen: DeathRange | undefined
  },
): string {
  const range = shown ?? (told === undefined ? chosen : rangeOfBars(histogram, told, told))
  return range ? sayRange(histogram, range) : ''
}

function sayRange(histogram: Histogram, range: DeathRange): string {
  const count = histogram.bars.reduce(
    (sum, bar, index) => sum + (isBarWithin(histogram, index, range) ? bar.count : 0),
    0,
  )
  return `${formatMoment(range.fromMs)} to ${formatMoment(range.toMs)}: ${formatCounted(count, 'message')}`
}
