/** How far a connection has come. */
export type ConnectionPhase =
  | 'greeting'
  | 'starting'
  | 'tuning'
  | 'opening'
  | 'running'
  | 'closing'
  | 'closed'
