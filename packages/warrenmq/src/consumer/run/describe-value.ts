import { isError } from './is-error.ts'

/** Any value as a text. Never throws: even an object without a prototype, or one that refuses to be read, has one. */
export function describeValue(value: unknown): string {
  try {
    return isError(value) ? `${value.name}: ${value.message}` : String(value)
  } catch {
    return `a value of type ${typeof value} that cannot be read`
  }
}
