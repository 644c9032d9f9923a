import { expect, it } from 'vitest'
import { logIn, useConsole } from './use-console.ts'

const rig = await useConsole({ server: { approval: { above: 30 } } })
await rig.addAccount('ann')

interface Listed {
  readonly items: readonly { readonly id: string; readonly state: string; readonly by: string }[]
}

async function countTasks(): Promise<number> {
  return (await rig.ask<Listed>('tasks?kind=redrive')).items.length
}

it('two people who re-drive the same messages at once start one task, and the second is told who was first', async () => {
  await rig.shop.killInThePast({ dlq: 'mail.receipts.dlq', failedIn: 'mail.receipts', count: 20 })
  rig.shop.mend()
  const path = 'queues/mail.receipts.dlq/redrive?rate=5'
  const one = await rig.openAsGuest({ path })
  const other = await rig.openPage({ path })
  await logIn(other, 'ann')
  const button = { name: 'Re-drive 20 messages' }
  await one.getByRole('button', button).waitFor()
  await other.getByRole('button', button).waitFor()

  await one.getByRole('button', button).click()
  await one.getByText('running').first().waitFor()
  await other.getByRole('button', button).click()

  await other
    .getByRole('alert')
    .getByText(/by guest, .*is working on the queue/)
    .waitFor()
  await one.getByText(/Nothing is lost: 20 moved/).waitFor()
  expect(await countTasks()).toBe(1)
})

it('what one person asks for, another one grants in another browser, and both see it done', async () => {
  await rig.shop.killInThePast({ dlq: 'billing.payments.dlq', failedIn: 'billing.payments', count: 40 })
  const asking = await rig.openAsGuest({ path: 'queues/billing.payments.dlq/redrive' })
  await asking.getByLabel('Why').fill('the gateway is back')
  await asking.getByRole('button', { name: 'Ask for approval to re-drive 40 messages' }).click()
  await asking.getByText('asked by guest').waitFor()

  const granting = await rig.openPage({ path: 'approvals' })
  await logIn(granting, 'ann')
  await granting.getByRole('link', { name: 'Re-drive up to 40 messages of billing.payments.dlq' }).click()
  await granting.getByText('“the gateway is back”').waitFor()
  await granting.getByRole('button', { name: 'Grant' }).click()
  await granting.getByText(/Nothing is lost: 40 moved/).waitFor()

  // The first page was open all the time.
  await asking.getByText('decided by ann').waitFor()
  await asking.getByRole('link', { name: 'See the task' }).click()
  await asking.getByText(/Nothing is lost: 40 moved/).waitFor()
  expect(await countTasks()).toBe(2)
})

it('what one person writes about a queue, and that they have read a receipt, another one sees', async () => {
  const one = await rig.openAsGuest({ path: 'queues/billing.payments.dlq' })
  const other = await rig.openPage()
  await logIn(other, 'ann')

  await one.getByRole('button', { name: 'Add a note' }).click()
  await one.keyboard.type('Guest is on it: <b>expired</b> cards')
  await one.keyboard.press('Enter')
  await other.getByText('“Guest is on it: <b>expired</b> cards”').waitFor()
  await other.getByRole('link', { name: 'billing.payments.dlq' }).click()
  await other.getByRole('button', { name: 'Change the note' }).click()
  await other.getByRole('button', { name: 'Remove' }).click()
  await one.getByRole('button', { name: 'Add a note' }).waitFor()

  await one.getByRole('link', { name: 'Tasks' }).first().click()
  await one.getByRole('link', { name: 'billing.payments.dlq' }).first().waitFor()
  await one.getByText('not acknowledged').first().waitFor()
  const { items } = await rig.ask<Listed>('tasks?kind=redrive')
  await one.goto(`${rig.server.url}/console/tasks/${items[0]!.id}`)
  await other.goto(`${rig.server.url}/console/tasks/${items[0]!.id}`)
  await one.getByRole('button', { name: 'Acknowledge' }).click()
  await one.getByText('Acknowledged by guest').waitFor()
  await other.getByText('Acknowledged by guest').waitFor()
  const { items: records } = await rig.ask<{ readonly items: readonly { readonly action: string }[] }>(
    'audit',
  )
  expect(records.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['note', 'note.remove', 'task.acknowledge']),
  )
})
