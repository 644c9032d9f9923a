import { type Management, openUnprovedManagement, pairManagement, Session } from 'warrenmq/operations'
import type { BrokerAddress } from './options/broker-options.ts'

/**
 * For what only reads the management API. A broker that somebody named is connected to all the same, to prove that the
 * API is its own. Where nobody did, the API is all that is meant.
 */
export async function withManagement<Result>(
  address: BrokerAddress,
  work: (management: Management) => Promise<Result>,
): Promise<Result> {
  if (address.isUrlGuessed && !address.isManagementGuessed) {
    const alone = openUnprovedManagement(address.managementUrl)
    return work(alone).finally(() => alone.close())
  }
  const session = await Session.open(address.url, { name: 'warren' })
  const management = pairManagement(session, address)
  try {
    return await work(management)
  } finally {
    management.close()
    await session.close()
  }
}
