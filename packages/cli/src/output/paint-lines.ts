import type { Style, Terminal } from './terminal.ts'

export type LineStyles = readonly (readonly [pattern: RegExp, style: Style])[]

/** Colours the lines of a rendered text by how they begin; the first pattern that fits decides. */
export function paintLines(text: string, styles: LineStyles, { paint }: Pick<Terminal, 'paint'>): string {
  return text
    .split('\n')
    .map((line) => {
      const [, style] = styles.find(([pattern]) => pattern.test(line)) ?? []
      return style === undefined ? line : paint(style, line)
    })
    .join('\n')
}

/** For what `renderPlan` writes. */
export const planStyles: LineStyles = [
  [/^Nothing to do/, 'green'],
  [/^\S/, 'bold'],
  [/^ {2}\+/, 'green'],
  [/^ {2}-/, 'yellow'],
  [/^ {2}!/, 'red'],
  [/^ {2}\?/, 'cyan'],
]

/** For what `renderProof` writes. */
export const proofStyles: LineStyles = [
  [/^Proved/, ['bold', 'green']],
  [/^Not proved/, ['bold', 'red']],
  [/^holds/, 'green'],
  [/^broken/, 'red'],
  [/^(Accepted|Hardening)/, 'bold'],
  [/^\S.*\/[a-z-]+(, \d+ times)?$/, ['bold', 'red']],
]

/** For what `renderResult` writes. */
export const resultStyles: LineStyles = [
  [/^done/, 'green'],
  [/^(kept|skipped)/, 'yellow'],
  [/^failed/, 'red'],
]
