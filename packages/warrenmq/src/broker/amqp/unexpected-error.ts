import { WireError } from '../../errors.ts'
import type { MethodName } from '../../wire/method-specs.ts'

/** Whole frames, but not the ones that were due: what follows them cannot be trusted either. */
export function unexpectedError(detail: string): WireError {
  return new WireError({ code: 'WIRE_UNEXPECTED', detail, offset: 0 })
}

/** An answer without a question. */
export function unaskedError(name: MethodName): WireError {
  return unexpectedError(`${name} arrived, but was not requested`)
}
