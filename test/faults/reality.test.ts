import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { Campaign } from '../../sim/reality/campaign.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { testWithNode } from '../support/with-node.ts'

// A few seconds of the campaign that `npm run reality` has (see sim/reality/README.md), so that it cannot rot.

/** As the tests name it: "4.3" of "4.3.6". */
const version = sharedBroker().version.split('.').slice(0, 2).join('.')

async function runCampaign(args: readonly string[]): Promise<Campaign> {
  const script = ['--import', 'jiti/register', 'sim/reality/main.ts', '--version', version, '--json', ...args]
  const campaign = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([text(campaign.stdout), once(campaign, 'close')])
  return JSON.parse(output) as Campaign
}

testWithNode(
  `the nemesis of the simulation makes RabbitMQ ${version} lose no message, and no receipt is false`,
  async () => {
    const campaign = await runCampaign(['--seed', '1', '--minutes', '0.1', '--worlds', '2'])

    expect(campaign.violations).toEqual([])
    expect(campaign).toMatchObject({ rounds: 1, lost: 0, unexpected: 0, falseReceipts: 0 })
    expect(campaign.duplicated).toBeLessThanOrEqual(campaign.duplicatesAllowed)
    expect(campaign.confirmed).toBeGreaterThan(0)
    expect(campaign.cutsAndPauses).toBeGreaterThan(0)
  },
  600_000,
)
