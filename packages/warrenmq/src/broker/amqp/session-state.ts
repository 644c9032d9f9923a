/** Where a session stands. `waiting` is the pause before an attempt to connect, but for the very first. */
export type SessionState = 'connecting' | 'connected' | 'waiting' | 'closed'

export type SessionStep = 'opened' | 'failed' | 'lost' | 'retry-due' | 'close'

/** The whole life of a session; drawn in docs/concepts/session.md. Throws on a step that cannot happen. */
export function nextSessionState(state: SessionState, step: SessionStep): SessionState {
  if (step === 'close') return 'closed'
  switch (state) {
    case 'connecting':
      if (step === 'opened') return 'connected'
      if (step === 'failed') return 'waiting'
      break
    case 'connected':
      if (step === 'lost') return 'waiting'
      break
    case 'waiting':
      if (step === 'retry-due') return 'connecting'
      break
    case 'closed':
      return 'closed' // what was under way when it closed has no effect any more
  }
  throw new Error(`A session that is ${state} cannot take the step "${step}".`)
}
