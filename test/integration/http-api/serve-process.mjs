import { createJiti } from 'jiti'

// The command from its sources. `node --import jiti/register` cannot load fastify's plugins on Node 20.
await createJiti(import.meta.url).import('../../../packages/cli/src/main.ts')
