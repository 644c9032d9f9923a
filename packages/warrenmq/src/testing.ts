export type { InspectedMessage, InspectedQueue } from './embedded/inspect-queue.ts'
export type { ProfileName } from './embedded/model/profile.ts'
export { profileNames } from './embedded/model/profiles/profiles.ts'
export type { QueueCounts } from './embedded/model/queue/queue.ts'
export type { ConfirmFate, CutPoint, FaultSwitches } from './embedded/server/faults.ts'
export type { SettleOptions } from './embedded/server/settle.ts'
export type { BrokerClock } from './embedded/server/steer-virtual-clock.ts'
export {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  type EmbeddedFaults,
  startEmbeddedBroker,
} from './embedded/start-embedded-broker.ts'
export { EmbeddedBrokerError, type EmbeddedBrokerErrorCode, WarrenError } from './errors.ts'
export type { Duration } from './message/duration.ts'
export type {
  Decimal,
  FieldContent,
  FieldEntry,
  FieldTable,
  FieldValue,
  IntegerTag,
} from './wire/field-value.ts'
export type { PlainField, TypedField } from './wire/plain-fields.ts'
export type { Properties, PropertyName, ValueOfKind } from './wire/property-kinds.ts'
