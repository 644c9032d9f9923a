import { type INestApplicationContext, Logger, type ModuleMetadata } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { WarrenPublisher } from '@warrenmq/nestjs'
import { WarrenTestingBroker, WarrenTestingModule } from '@warrenmq/nestjs/testing'
import { onTestFinished } from 'vitest'

/** A started application on the embedded broker with its virtual clock. */
export interface OpenApp {
  readonly app: INestApplicationContext
  readonly broker: WarrenTestingBroker
  readonly publisher: WarrenPublisher
  close(): Promise<void>
}

/** Starts an application of these modules, with a broker of its own; it is closed at the end of the test. */
export async function openApp(metadata: ModuleMetadata): Promise<OpenApp> {
  Logger.overrideLogger(false)
  const imports = [...(metadata.imports ?? []), WarrenTestingModule.forRoot()]
  const module = await Test.createTestingModule({ ...metadata, imports }).compile()
  let isClosed = false
  const close = async () => {
    if (!isClosed) await module.close()
    isClosed = true
  }
  onTestFinished(close)
  await module.init()
  return {
    app: module,
    broker: module.get(WarrenTestingBroker),
    publisher: module.get(WarrenPublisher),
    close,
  }
}
