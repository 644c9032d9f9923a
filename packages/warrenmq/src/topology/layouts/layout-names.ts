/** Every layout there is. A new one is a file beside this one, a name here and a line in `layouts.ts`. */
export const layoutNames = ['warren', 'ratatoskr', 'event-bus', 'freeflow', 'isolated'] as const

/** A pattern of exchanges and queues around a work queue. */
export type LayoutName = (typeof layoutNames)[number]
