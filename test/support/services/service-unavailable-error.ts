/** A server that a test needs cannot be had here. The message says what to do about it. */
export class ServiceUnavailableError extends Error {
  override readonly name = 'ServiceUnavailableError'
}
