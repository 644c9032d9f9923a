import { headerNames } from '../wire/header-table.ts'
import { type EncodedHeaders, headerInteger, headerText } from './header-values.ts'
import { warrenHeaders } from './warren-headers.ts'

/** Why a message failed, as whoever parked it wrote down. */
export interface Failure {
  readonly errorType: string | undefined
  readonly errorMessage: string | undefined
  readonly statusCode: number | undefined
  readonly reason: string | undefined
  /** The queue that the message failed in. */
  readonly queue: string | undefined
}

/** Reads what Warren, the reference systems and well-known frameworks write when they park a message. */
export function readFailure(headers: EncodedHeaders): Failure {
  const present = new Set(headers ? headerNames(headers) : [])
  const firstOf = (names: readonly string[]) => {
    const name = names.find((candidate) => present.has(candidate))
    return name === undefined ? undefined : headerText(headers, name) || undefined
  }
  return {
    errorType: firstOf(errorTypeHeaders),
    errorMessage: firstOf(errorMessageHeaders),
    statusCode: present.has(warrenHeaders.finalStatusCode)
      ? headerInteger(headers, warrenHeaders.finalStatusCode)
      : undefined,
    reason: firstOf([warrenHeaders.reason]),
    queue: firstOf(queueHeaders),
  }
}

const errorTypeHeaders = [
  warrenHeaders.errorType,
  'NServiceBus.ExceptionInfo.ExceptionType',
  'MT-Fault-ExceptionType',
  'exception-type',
]

const errorMessageHeaders = [
  warrenHeaders.finalError,
  'NServiceBus.ExceptionInfo.Message',
  'MT-Fault-Message',
  'x-exception-message',
  'exception-message',
]

const queueHeaders = [warrenHeaders.originalQueue, 'NServiceBus.FailedQ']
