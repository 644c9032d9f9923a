import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.js'

async function start(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule)
  // On SIGTERM: no more messages are taken, running handlers finish, then the application ends.
  app.enableShutdownHooks()
}

void start()
