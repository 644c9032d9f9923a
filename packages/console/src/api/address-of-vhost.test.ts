import { expect, it, vi } from 'vitest'

vi.stubGlobal('document', { baseURI: 'http://localhost/console/' })
const { addressOfVhost } = await import('./address-of-vhost.ts')

const vhosts = (here: string) =>
  ['', '/vhosts/orders'].map((path) => ({ name: path || '/', path, isHere: path === here }))

it.each([
  ['/ops/warren', ''],
  ['/ops/warren/vhosts/orders', '/vhosts/orders'],
  ['', ''],
  ['/vhosts/orders', '/vhosts/orders'],
])('from %s the consoles of all vhosts are found', (address, here) => {
  const before = here === '' ? address : address.slice(0, -here.length)

  expect(addressOfVhost(vhosts(here), '/vhosts/orders', address)).toBe(`${before}/vhosts/orders`)
  expect(addressOfVhost(vhosts(here), '', address)).toBe(before)
})
