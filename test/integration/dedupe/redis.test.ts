import { startRedis } from '../../support/services/start-redis.ts'
import { useService } from '../../support/services/use-service.ts'
import { useBroker } from '../../support/use-broker.ts'
import { describeDedupeStore } from './describe-dedupe-store.ts'

const broker = await useBroker()
const server = await useService(startRedis)

describeDedupeStore('redis', { server, broker })
