import type { ReactNode } from 'react'

const width = 96
const height = 24

/** The depth of a queue over the last hour. The figures are beside it, so it is for the eye only. */
export function SparkLine({
  values,
  tone,
}: {
  readonly values: readonly number[]
  readonly tone: string
}): ReactNode {
  if (values.length < 2) return <span className="block" style={{ width, height }} />
  return (
    <svg aria-hidden="true" viewBox={`0 0 ${width} ${height}`} width={width} height={height} className={tone}>
      <polyline
        points={pointsOf(values)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  )
}

/** A queue that does not change is a line in the middle, however deep it is. */
function pointsOf(values: readonly number[]): string {
  const least = Math.min(...values)
  const span = Math.max(...values) - least
  return values
    .map((value, index) => {
      const x = 1 + (index * (width - 2)) / (values.length - 1)
      const y = span === 0 ? height / 2 : height - 2 - ((value - least) / span) * (height - 4)
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}
