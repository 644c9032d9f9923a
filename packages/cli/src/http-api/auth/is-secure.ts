import type { FastifyRequest } from 'fastify'

/**
 * Whether a browser came here by TLS, as the proxy or the browser itself tells. Believed of anybody: it is about nothing
 * but their own cookie. Not every request of a browser tells it.
 */
export function isSecure({
  protocol,
  host,
  hostname,
  headers,
}: Pick<FastifyRequest, 'protocol' | 'host' | 'hostname' | 'headers'>): boolean {
  // How a page of another host came to the browser says nothing of us.
  if (protocol === 'https' || headers.origin === `https://${host}`) return true
  // Browsers send it over TLS only, and to their own machine.
  return headers['sec-fetch-site'] !== undefined && !ownMachine.test(hostname)
}

const ownMachine = /(^|\.)localhost\.?$|^127\.|^\[::1\]$/i
