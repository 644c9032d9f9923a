import { oneOf, type SchemaValue } from './schema.ts'

export const role = oneOf(['viewer', 'operator', 'admin'], 'What the caller is allowed to be here.')
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
  'Something that a caller may do. Every operation names the one that it needs as x-permission.',
  { title: 'Permission' },
)
export type Permission = SchemaValue<typeof permission>

export const wayIn = oneOf(
  ['broker-account', 'token', 'oidc', 'nobody-asked'],
  'How the caller proved who they are. With nobody-asked the server asks nobody.',
)
/** How a caller proved who they are. */
export type WayIn = SchemaValue<typeof wayIn>
