import { encodeMethod } from '../../wire/methods.ts'

/** Encodes the method of a publish once; publishers keep it per exchange and key. */
export function encodePublish(fields: { exchange: string; routingKey: string; mandatory: boolean }): Buffer {
  return encodeMethod({ name: 'basic.publish', immediate: false, ...fields })
}
