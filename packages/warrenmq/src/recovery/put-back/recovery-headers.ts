/** The headers that a re-drive writes, so that a message tells who put it back, when, and how often. */
export const recoveryHeaders = {
  redrivenAt: 'x-redriven-at',
  redrivenBy: 'x-redriven-by',
  redriveId: 'x-redriven-id',
  redriveCount: 'x-redriven-count',
  redriveReason: 'x-redriven-reason',
  /** What an edited message was before. */
  previous: 'warren-previous',
} as const
