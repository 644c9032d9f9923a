import { Logger as NestLogger } from '@nestjs/common'
import type { Logger } from 'warrenmq'

/** The library's log lines, written by whichever logger the application gave to Nest. */
export function nestLogger(context: string): Logger {
  const logger = new NestLogger(context)
  return {
    debug: (fields, message) => logger.debug(render(fields, message)),
    info: (fields, message) => logger.log(render(fields, message)),
    warn: (fields, message) => logger.warn(render(fields, message)),
    error: (fields, message) => logger.error(render(fields, message)),
  }
}

function render(fields: object, message: string): string {
  return Object.keys(fields).length === 0 ? message : `${message} ${JSON.stringify(fields)}`
}
