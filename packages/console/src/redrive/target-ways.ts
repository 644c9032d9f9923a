/** The ways that a re-drive can take instead of one queue by its name: as the API calls them, in words, and what they mean. */
export const targetWays = [
  ['origin', 'The queue each failed in', 'It is tried again immediately.'],
  ['retry', 'Its wait queue', 'It is tried again after a delay.'],
  ['exchange', 'Where it was first published', 'Every queue that is bound there gets it once more.'],
] as const
