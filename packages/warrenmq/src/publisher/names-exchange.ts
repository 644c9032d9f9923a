import type { ChannelError } from '../errors.ts'

/** RabbitMQ tells an exchange that is missing (404) or closed to the user (403) by its name; anything else it does not name. */
export function namesExchange({ replyCode, replyText = '' }: ChannelError, exchange: string): boolean {
  return (replyCode === 404 || replyCode === 403) && replyText.includes(` exchange '${exchange}' in vhost '`)
}
