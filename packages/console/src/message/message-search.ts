export const bodyViews = ['readable', 'as-it-came', 'bytes'] as const
export type BodyView = (typeof bodyViews)[number]

/** What the address of a message says. */
export interface MessageSearch {
  /** The filter of the list that the reader came from. */
  readonly where?: string
  readonly view?: BodyView
  /** The message is being edited. */
  readonly edit?: true
}

export function readMessageSearch({ where, view, edit }: Readonly<Record<string, unknown>>): MessageSearch {
  return {
    ...(where !== undefined && where !== '' && { where: String(where) }),
    ...((view === 'as-it-came' || view === 'bytes') && { view }),
    ...(edit === true && { edit }),
  }
}
