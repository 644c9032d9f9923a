import { createHash } from 'node:crypto'

/** An answer as it is sent. */
export interface RenderedAnswer {
  readonly body: Buffer
  readonly etag: string
}

/** Names an answer. Two with the same name say the same. */
export interface AnswerName {
  /** What is shown: of which address, by which query, to those who may see which queues. */
  readonly view: string
  /** Is another one as soon as what is shown may be. */
  readonly edition: string
}

/** Gives the answer of this name. It is rendered only where nobody was given it before. */
export type GiveRendered = (name: AnswerName, render: () => Promise<string>) => Promise<RenderedAnswer>

/** The edition of what may change at any time, and is given on for so long. */
export function tick(everyMs: number): AnswerName['edition'] {
  return String(Math.floor(Date.now() / everyMs))
}

/** Whoever varies their questions must not fill the memory. */
const mostViews = 50
const mostBytes = 1024 * 1024

/**
 * Keeps answers as they are sent: two hundred consoles that poll a list cost as much as one that does, and what
 * they cost is taken from the re-drives that run beside them.
 */
export function createRenderedAnswers(): GiveRendered {
  const known = new Map<string, { readonly edition: string; readonly answer: Promise<RenderedAnswer> }>()
  return ({ view, edition }, render) => {
    const found = known.get(view)
    if (found?.edition === edition) return found.answer
    const entry = { edition, answer: render().then(finish) }
    if (!found && known.size >= mostViews) known.clear()
    known.set(view, entry)
    const forget = (): void => {
      if (known.get(view) === entry) known.delete(view)
    }
    // A failure is nobody's answer but theirs who waited for it.
    entry.answer.then(({ body }) => {
      if (body.length > mostBytes) forget()
    }, forget)
    return entry.answer
  }
}

/** The tag is made of the content, so that it is the same on all servers. */
function finish(text: string): RenderedAnswer {
  return { body: Buffer.from(text), etag: `"${createHash('sha1').update(text).digest('base64')}"` }
}
