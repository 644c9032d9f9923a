import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { describeOnBothBrokers } from './clients/on-both-brokers.ts'
import { describeMethod } from './describe-received.ts'
import { connectRaw } from './raw-client.ts'

describeOnBothBrokers('a client that has negotiated a channel_max of two', (open) => {
  /** Opens the channels one by one and gives what the broker says to each. */
  async function openChannels(numbers: readonly number[]): Promise<readonly string[]> {
    const { url } = await open()
    const answers: string[] = []
    const client = await connectRaw(
      url,
      ({ channel, method }) => {
        const isOver = method.name === 'connection.close'
        if (channel > 0 || isOver) answers.push(isOver ? describeMethod(method) : `${channel} ${method.name}`)
      },
      { channelMax: 2 },
    )
    onTestFinished(() => client.close())
    for (const [at, number] of numbers.entries()) {
      client.send(number, { name: 'channel.open' })
      await eventually(() => expect(answers.length).toBeGreaterThan(at))
    }
    return answers
  }

  test('may give them higher numbers', async () => {
    expect(await openChannels([5, 2048])).toEqual(['5 channel.open-ok', '2048 channel.open-ok'])
  })

  test('is sent away with the third', async () => {
    expect(await openChannels([1, 2, 3])).toEqual([
      '1 channel.open-ok',
      '2 channel.open-ok',
      describeMethod({
        name: 'connection.close',
        replyCode: 530,
        replyText: 'NOT_ALLOWED - number of channels opened (2) has reached the negotiated channel_max (2)',
        classId: 0,
        methodId: 0,
      }),
    ])
  })
})
