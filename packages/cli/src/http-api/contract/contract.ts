// All that travels between the server and its callers, by one name.

export type { RedriveRequest } from 'warrenmq/operations'
export type * from './contract-core.ts'
export type * from './contract-dlq.ts'
export type * from './contract-events.ts'
export type * from './contract-lists.ts'
export type * from './contract-session.ts'
export type * from './contract-start.ts'
export type * from './contract-topology.ts'
export type * from './requests.ts'
