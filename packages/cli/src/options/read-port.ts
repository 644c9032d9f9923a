import { InvalidArgumentError as InvalidOptionError } from 'commander'

export function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidOptionError('A port is a number from 0 to 65535.')
}
