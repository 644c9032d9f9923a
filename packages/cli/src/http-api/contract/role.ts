import { oneOf, type SchemaValue } from './schema.ts'

export const role = oneOf(['viewer', 'operator', 'admin'], 'The role of the caller on this server.')
export type Role = SchemaValue<typeof role>

export const permission = oneOf(
  [
    'dlq:read',
    'payload:read',
    'dlq:redrive',
    'dlq:backup',
    'dlq:discard',
    'dlq:restore',
    'dlq:admin',
    'topology:read',
    'topology:apply',
    'audit:read',
  ],
  'Something a caller may do. Every operation names the permission it needs as x-permission.',
  { title: 'Permission' },
)
export type Permission = SchemaValue<typeof permission>

export const wayIn = oneOf(
  ['broker-account', 'token', 'oidc', 'nobody-asked'],
  'How the caller proved who they are. nobody-asked: the server does not ask.',
)
/** How a caller proved who they are. */
export type WayIn = SchemaValue<typeof wayIn>
