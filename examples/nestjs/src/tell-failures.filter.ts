import { Catch, type ExceptionFilter, Logger } from '@nestjs/common'

/** Sees every failed attempt. It returns nothing, so the exception decides what becomes of the message. */
@Catch()
export class TellFailures implements ExceptionFilter<Error> {
  private readonly logger = new Logger(TellFailures.name)

  async catch(error: Error): Promise<void> {
    this.logger.warn(error.message)
  }
}
