/** No broker of the wanted version can be had here. The message says what to do about it. */
export class BrokerUnavailableError extends Error {
  override readonly name = 'BrokerUnavailableError'
}
