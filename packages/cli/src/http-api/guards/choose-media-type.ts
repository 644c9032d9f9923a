/**
 * The media type that a client likes best of those there are, by its header `accept`; of equals the first. Undefined:
 * none of them. What cannot be read in the header says nothing.
 */
export function chooseMediaType<Offer extends string>(
  accept: string | undefined,
  offers: readonly [Offer, ...Offer[]],
): Offer | undefined {
  const ranges = (accept ?? '').split(',').flatMap(readRange)
  if (ranges.length === 0) return offers[0]
  let best: { readonly offer: Offer; readonly weight: number } | undefined
  for (const offer of offers) {
    const weight = weightOf(offer, ranges)
    if (weight > (best?.weight ?? 0)) best = { offer, weight }
  }
  return best?.offer
}

interface Range {
  readonly name: string
  readonly weight: number
}

/** `text/html;level=1;q=0.5`; of its parameters only the weight is read. */
function readRange(text: string): readonly Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  if (!/^(\*\/\*|[\w.+-]+\/(\*|[\w.+-]+))$/.test(type)) return []
  const weight = parameters.find((each) => each.startsWith('q='))?.slice('q='.length) ?? '1'
  return /^(0(\.\d*)?|1(\.0*)?)$/.test(weight) ? [{ name: type, weight: Number(weight) }] : []
}

/** The most exact range decides: `text/html;q=0, *\/*` is anything but a page. */
function weightOf(offer: string, ranges: readonly Range[]): number {
  const [kind] = offer.split('/')
  for (const name of [offer, `${kind}/*`, '*/*']) {
    const weights = ranges.filter((range) => range.name === name).map(({ weight }) => weight)
    if (weights.length > 0) return Math.max(...weights)
  }
  return 0
}
